# Included when llama-cpp-python's project begins: only the library that embeds is built, not the one for images nor
# the helpers of llama.cpp's tools. A variable that is set here stands before the cached one that the project forces on.
set(LLAVA_BUILD OFF)
set(LLAMA_BUILD_COMMON OFF)

# llama.cpp crashes on processors with AMX when GCC compiles its tile set-up (ggml-org/llama.cpp#20824, #26954).
include(CheckCXXCompilerFlag)
foreach(extension amx-tile amx-int8 amx-bf16)
  check_cxx_compiler_flag(-m${extension} HAS_${extension})
  if(HAS_${extension})
    add_compile_options(-mno-${extension})
  endif()
endforeach()
