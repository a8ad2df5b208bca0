"""The manifest knows which steps are done, and with which files."""

from mauve.generation.manifest import Manifest, step_key


def test_a_step_is_current_while_its_files_are_unchanged(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    Manifest(tmp_path).done("a", "key", "a.json")
    assert Manifest(tmp_path).is_current("a", "key")
    assert not Manifest(tmp_path).is_current("a", "other key")
    assert not Manifest(tmp_path).is_current("b", "key")
    (tmp_path / "a.json").write_text("[]")
    assert not Manifest(tmp_path).is_current("a", "key")
    (tmp_path / "a.json").unlink()
    assert not Manifest(tmp_path).is_current("a", "key")


def test_settings_and_steps_stand_beside_each_other(tmp_path):
    manifest = Manifest(tmp_path)
    manifest.set_settings({"n": 5})
    manifest.done("a", "key")
    again = Manifest(tmp_path)
    assert again.settings == {"n": 5}
    assert again.is_current("a", "key")


def test_a_damaged_manifest_knows_nothing(tmp_path):
    for content in ("", "{", "[]", '{"steps": 3}', '{"settings": {}, "steps": {"a": 1}}'):
        (tmp_path / "manifest.json").write_text(content)
        assert not Manifest(tmp_path).is_current("a", "key")
    Manifest(tmp_path).done("a", "key")
    assert Manifest(tmp_path).is_current("a", "key")


def test_keys_of_objects():
    class Signed:
        signature = "model@1"

    assert step_key(a=Signed()) == step_key(a=Signed())
    assert step_key(a=object()) != step_key(a=object())
    assert step_key(a=1, b=[2]) == step_key(b=[2], a=1)
    assert step_key(a=1) != step_key(a=True)
