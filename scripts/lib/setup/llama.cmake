# Included when llama-cpp-python's project begins: only the library that embeds is built, not the one for images nor
# the helpers of llama.cpp's tools. A variable that is set here stands before the cached one that the project forces on.
set(LLAVA_BUILD OFF)
set(LLAMA_BUILD_COMMON OFF)
