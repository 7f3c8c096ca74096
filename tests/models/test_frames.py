from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from bridge.models.worker_process import Frame, embed_request, read_frame, request_texts

FRAMES = st.lists(st.builds(Frame, st.dictionaries(st.text(), st.integers()), st.binary()), max_size=4)


@given(FRAMES, st.integers(min_value=0, max_value=10))
def test_a_stream_gives_back_its_frames_and_drops_a_torn_last_one(frames: list[Frame], torn: int) -> None:
    stream = b"".join(frame.pack() for frame in frames)
    arrived = BytesIO(stream + Frame({"cut": 1}, b"short").pack()[:torn])
    assert list(iter(lambda: read_frame(arrived), None)) == frames


@given(st.lists(st.text(st.characters(codec=None)), max_size=5))
def test_texts_arrive_as_valid_utf8_whatever_they_hold(texts: list[str]) -> None:
    arrived = request_texts(embed_request(texts))
    assert [raw.decode() for raw in arrived] == [text.encode("utf-8", "replace").decode() for text in texts]
