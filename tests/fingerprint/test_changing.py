import json

import pytest

from guardd.fingerprint import Arguments
from guardd.fingerprint.changing import changes_something

CHANGING = """
echo hi > a.txt
echo hi >> a.txt
echo hi >| a.txt
echo hi>a.txt
npm test > out.log 2>&1
npm test &> out.log
npm test >& out.log
cat > a.py <<'EOF'
cat <<EOF > a.py
cat <<-"EOF" >> a.py
: > empty
> empty
printf '%s' x 1> a
echo x | tee a.txt
echo x | tee -a a.txt
echo x | sudo tee /etc/hosts
sed -i 's/a/b/' f
sed -i.bak 's/a/b/' f
sed -i '' '/undefined,$/d' packages/tui/test/markdown.test.ts
sed -E -i -e 's/a/b/' f
sed -ni '/a/p' f
sed --in-place=.bak s/a/b/ f
perl -pi -e 's/a/b/' f
perl -p -i.orig -e 's/a/b/' f
perl -0pi -e 's/a/b/' f
ruby -pi -e '$_.upcase!' f
mv a b
cp packages/coding-agent/src/theme/dark.json ~/.pi/agent/themes/nord.json
cp -r a b
rm a
rm -rf /workspace/*
rm -rf /system/*/*.{dat,log,txt,sql}
/bin/rm -f a
rmdir a
mkdir -p a/b
mkdir -p ~/.pi/agent/themes && cp $(npm root -g)/x/dark.json ~/.pi/agent/themes/custom.json
touch a
ln -s a b
chmod +x a.sh
chown u:u a
install -m 644 a /usr/bin/a
patch -p1 < fix.diff
patch < fix.diff
patch <<'EOF'
git diff main | patch
cd /repo && patch
apply_patch <<'EOF'
apply_patch '*** Begin Patch'
applypatch <<"EOF"
apply_patch < fix.patch
cd /repo && apply_patch <<'PATCH'
truncate -s 0 log
dd if=/dev/zero of=disk bs=1M count=1
rsync -a a/ b/
tar -zcvf /backup/system.tar.gz /system
tar xzf a.tgz
tar cf a.tar b
unzip a.zip
gzip a
gunzip dds2-alpine.flag.img.gz
wget http://a/b
wget -q -O b http://a/b
curl -o b http://a/b
curl -sSLo b http://a/b
curl -O http://a/b
curl http://a/b --output b
curl http://a > b
sort -o a a
find /system/folder3/temp -type f -empty -delete
find /system -type f -size +1024c -exec rm -f {} +
find . -name '*.o' -exec rm {} \\;
find . -name '*.o' | xargs rm -f
find . -print0 | xargs -0 -n 1 rm
grep -rl a . | xargs -I{} sed -i s/a/b/ {}
grep -rl a . | xargs -I {} mv {} b/
git add .
git -C /repo add -A
git -c user.name=x commit -m "x > y"
git --no-pager commit --amend --no-edit
cd /repo && git add . && git commit -m "Release v0.8.0"
git commit -am "$(cat <<'EOF'
git checkout -b topic
git switch main
git reset --hard HEAD~1
git restore a
git stash
git stash pop
git rebase main
git merge topic
git cherry-pick abc
git apply fix.patch
git am fix.patch
git tag v0.8.0
git branch -d topic
git push origin main
git pull
git clone http://a/b
git mv a b
git rm --cached a
git init
git worktree add ../x
git submodule update --init
gh pr create --fill
gh repo clone a/b
docker pull x
docker rm -f x
kubectl -n ns apply -f a.yaml
kubectl delete pod x
terraform apply -auto-approve
apt install x
sudo apt-get install -y sleuthkit
sudo -E DEBIAN_FRONTEND=noninteractive apt-get -qq install x
DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 install -y x
apk add x
brew install x
pip install -e .[dev]
pip3 install x
pip3.11 install x
.venv/bin/pip install x
python -m pip install -U x
python3 -m venv .venv
uv add x
uv pip install x
uv sync
poetry add x
conda install -y x
cd packages/coding-agent && npm install
npm --prefix web ci
npm i -D x
npm uninstall x
yarn
yarn add x
pnpm --filter web add x
bun install
cargo add x
cargo install x
rustup target add wasm32-unknown-unknown
go get x
go mod tidy
gem install x
bundle install
composer require x
make install
bash -c 'rm a'
bash -lc "cd a && sed -i s/a/b/ f"
sh -ec 'mkdir a'
timeout 5 bash -c 'echo x > a'
timeout -k 5 10 rm a
nohup cp a b &
time mv a b
if [ -f a ]; then rm a; fi
for f in *; do mv "$f" b/; done
while read l; do touch "$l"; done < list
[ -d a ] || mkdir a
! rm a
(cd a && rm b)
{ rm a; }
f() { rm a; }; f
x=$(mktemp -d) && cp a $x
echo $(rm a)
echo `touch a`
ls; rm a
ls | grep a & rm b
Set-Content -Path a -Value b
Remove-Item a
""".strip().split("\n")

NOT_CHANGING = """
ls
ls -la ~/.pi/agent/themes/
ls > /dev/null
ls 2>&1
ls >/dev/null 2>&1
ls &>/dev/null
ls 2>/dev/null | head -5
ls >&2
ls 2>&-
ls > /dev/stderr
cat a
cat < a
cat <<< "x > y"
diff <(ls a) <(ls b)
grep -n "new Markdown(" packages/tui/test/markdown.test.ts | head -20
grep 'a > b' f
grep "a > b" f
grep a \\> f
grep -c "rm -rf" f
echo "rm -rf /"
echo 'git commit'
echo rm a
echo "it's > done"
echo "a \\" > b"
# rm a
ls # > a
ls #; rm a
[[ $a > $b ]]
if [[ a > b ]]; then ls; fi
(( x > 3 ))
echo $((x > 3))
sed -n '1,20p' f
sed 's/a/b/' f
sed -e 's/i/b/' -n f
sed -f script.sed f
perl -ne 'print if /i/' f
perl -MList::Util=sum -e 'print 1'
perl -lane 'print $F[0]' f
awk '$1 > 3 {print $1}' f
awk '/new Markdown\\($/,/)$/{print NR": "$0}' packages/tui/test/markdown.test.ts | head -40
find . -type f -exec grep -l "Hello" {} \\; 2>/dev/null | xargs -I{} dirname {} | sort -u
find . -name '*.o'
find /workspace -type f -mtime +30 -print0 | xargs -0 ls -1
ls -r /workspace | xargs -i {} sh -c 'cmp -s {} <(cat {} | cut -f1 -d:)'
head -50 packages/coding-agent/CHANGELOG.md
wc -l a
tail -f log
tee
echo x | tee /dev/null
echo x | tee /dev/stderr
sort a
uname -r | cut -d " " -f 2
ps auxf --forest
pstree -p
date +"%Y-%m-%d"
which rm
command -v rm
command -v yarn
type mv
man cp
rm --help
rm
gzip
gzip -c a
gzip -l a
gunzip -c a | head
xz -dc a
unzip -l a.zip
tar tzf a.tgz
tar -tvf a.tar
tar tf a.tar current
wget -qO- http://a
wget -O - http://a
wget -O /dev/null http://a
wget --spider http://a
curl http://a
curl -sS -X POST -d x=1 http://a
curl -so /dev/null -w '%{http_code}' http://a
curl -s -o /dev/null http://a
patch --dry-run -p1 < fix.diff
patch --dry-run < f
patch --version
apply_patch --help
which patch
cat fix.patch
grep apply_patch < f
git status
git log --oneline -5
git diff HEAD~1
git diff --stat
git show abc
git -C /repo log
git fetch origin
git branch
git branch -a
git branch --show-current
git tag
git tag -l 'v*'
git stash list
git stash show -p
git worktree list
git submodule status
git remote -v
git config --get user.name
git add --dry-run .
git apply --check fix.patch
git grep commit
git rev-parse HEAD
git help commit
gh pr list
gh pr view 5
gh run watch
docker ps
docker build -t x .
docker run --rm x
docker logs x
docker compose up -d
kubectl get pods
kubectl -n ns describe pod x
terraform plan
apt update
apt list --installed
apt-cache search x
brew list
pip list
pip show x
pip freeze
pip install --dry-run x
uv run pytest
uv pip list
poetry run pytest
cd packages/coding-agent && npm run check 2>&1 | tail -20
npm run build
npm test
npm ls
npm view x
yarn test
pnpm -r test
cargo build
cargo test
cargo fmt
go build ./...
go test ./...
go mod graph
make
make test
make -n install
pytest -q
python reproduce.py
python -c "open('a', 'w')"
python - <<'EOF'
node -e "require('fs').writeFileSync('a', 'b')"
cd packages/coding-agent && npx tsc --noEmit --skipLibCheck
prettier --write .
black .
ruff check --fix
eslint --fix .
systemctl restart x
kill 5
pkill x
sleep 5 && echo "Done sleeping"
bash -c 'ls > /dev/null'
bash script.sh
bash -c
sqlite3 a.db 'insert into t values (1)'
export A=b
A=b
cd a
source .venv/bin/activate
true
submit
code ~/.pi/agent/themes/custom.json
The output is correct. Is there anything else I can help you with?
Get-ChildItem -Path a
""".strip().split("\n")

DOCUMENTS = [
    ("cat <<EOF\nrm a > b\nEOF", False),
    ("cat <<'EOF' | grep x\nrm a\n\tEOF\nEOF\nls", False),
    ("cat <<EOF\nx\nEOF\nrm a", True),
    ("cat <<A <<B\nx\nA\nrm a\nB\nls", False),
    ("cat <<A <<B\nx\nA\nx\nB\nrm a", True),
    ("cat <<EOF\nrm a", False),
    ("python3 - <<'PY'\nopen('a', 'w').write('x > y')\nPY", False),
    ("cat > a <<'EOF'\nx\nEOF\nls", True),
    ("ls \\\n  -l && rm a", True),
    ("true # comment\nrm a", True),
    ("ls \\\nrm a", False),
]


def arguments(**value: object) -> Arguments:
    return Arguments.parse(json.dumps(value).encode())


def changes(command: str, result: object = None) -> bool:
    return changes_something("bash", arguments(command=command), result)


def test_there_are_enough_commands():
    assert len(set(CHANGING)) + len(set(NOT_CHANGING)) > 300


@pytest.mark.parametrize("command", CHANGING)
def test_commands_that_change_something(command: str):
    assert changes(command)


@pytest.mark.parametrize("command", NOT_CHANGING)
def test_commands_that_do_not(command: str):
    assert not changes(command)


@pytest.mark.parametrize(("command", "expected"), DOCUMENTS)
def test_what_follows_in_documents_is_no_command(command: str, expected: bool):  # noqa: FBT001
    assert changes_something("exec", arguments(command=command), None) is expected


@pytest.mark.parametrize(
    ("tool", "value", "expected"),
    [
        ("write", {"path": "a", "content": "b"}, True),
        ("edit", {"path": "a"}, True),
        ("apply_patch", {"input": "*** Begin Patch"}, True),
        ("Write", {"file_path": "a"}, True),
        ("NotebookEdit", {}, True),
        ("write_file", {}, True),
        ("replace", {}, True),
        ("search_replace", {}, True),
        ("create", {}, True),
        ("delete_file", {}, True),
        ("mcp__files__write_file", {}, True),
        ("mcp__files__move_file", {}, True),
        ("mcp__files__read_file", {}, False),
        ("mcp_filesystem_write_file", {}, True),
        ("filesystem-write_file", {}, True),
        ("filesystem-move_file", {}, True),
        ("MCP:write_file", {}, True),
        ("mcp_fs_read_file", {}, False),
        ("github-mcp-server-get_file_contents", {}, False),
        ("mcp__filesystem__edit_file", {"path": "a", "dryRun": True}, False),
        ("mcp__filesystem__edit_file", {"path": "a", "dryRun": False}, True),
        ("mcp_shell_execute_command", {"command": "rm a"}, True),
        ("str_replace_editor", {"command": "str_replace"}, True),
        ("str_replace_editor", {"command": "undo_edit"}, True),
        ("str_replace_editor", {"command": "view"}, False),
        ("str_replace_editor", {}, False),
        ("str_replace_based_edit_tool", {"command": "insert"}, True),
        ("read", {"path": "a"}, False),
        ("Grep", {"pattern": "rm"}, False),
        ("process", {"action": "poll"}, False),
        ("sql", {"command": "INSERT INTO t VALUES (1)"}, False),
        ("exec", {"command": "rm a"}, True),
        ("Bash", {"command": "rm a", "timeout": 5}, True),
        ("shell", {"command": ["bash", "-lc", "rm a"]}, True),
        ("shell", {"command": ["rm", "a"]}, True),
        ("shell", {"command": ["sudo", "rm", "a"]}, True),
        ("shell", {"command": ["apply_patch", "*** Begin Patch"]}, True),
        ("shell", {"command": ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\nEOF"]}, True),
        ("shell", {"command": ["echo", "x > y"]}, False),
        ("shell", {"command": ["rm", 5]}, False),
        ("shell", {"command": []}, False),
        ("exec_command", {"cmd": "rm a"}, True),
        ("run_shell_command", {"command": "rm a"}, True),
        ("mcp__shell__execute_command", {"script": "rm a"}, True),
        ("bash", {"input": "rm a"}, False),
        ("bash", {"command": 5}, False),
        ("bash", {}, False),
    ],
)
def test_tools(tool: str, value: dict[str, object], expected: bool):  # noqa: FBT001
    assert changes_something(tool, arguments(**value), None) is expected


@pytest.mark.parametrize(
    "name",
    [
        "git_commit", "git_add", "git_reset", "git_checkout", "git_create_branch", "create_or_update_file",
        "push_files", "create_branch", "create_repository", "fork_repository", "create_issue", "update_issue",
        "add_issue_comment", "create_pull_request", "merge_pull_request", "update_pull_request_branch",
        "create_pull_request_review", "issue_write", "sub_issue_write", "update_pull_request",
        "pull_request_review_write", "add_comment_to_pending_review", "create_entities", "create_relations",
        "add_observations", "delete_entities", "delete_relations", "delete_observations", "store_memory",
    ],
)  # fmt: skip
def test_tools_of_servers_that_change_something(name: str):
    for tool in (name, f"mcp__any__{name}", f"mcp_any_{name}", f"any-server-{name}", f"MCP:{name}"):
        assert changes_something(tool, arguments(title="no changes"), said("no changes")), tool
        assert not changes_something(tool, arguments(), said("a", structuredContent={"changed": False})), tool


@pytest.mark.parametrize(
    "name",
    [
        "git_status", "git_diff", "git_diff_staged", "git_log", "git_show", "git_branch", "get_file_contents",
        "get_issue", "list_issues", "search_code", "issue_read", "pull_request_read", "read_graph", "open_nodes",
        "search_nodes", "list_directory", "get_file_info", "browser_click", "browser_type", "browser_navigate",
        "browser_take_screenshot", "browser_fill_form",
    ],
)  # fmt: skip
def test_tools_of_servers_that_do_not(name: str):
    for tool in (name, f"mcp__any__{name}", f"mcp_any_{name}", f"any-server-{name}", f"MCP:{name}"):
        assert not changes_something(tool, arguments(), None), tool


def test_the_configuration_may_name_further_tools_that_edit():
    for tool in ("mine", "mcp__my__mine"):
        assert changes_something(tool, arguments(), None, ["mine"])
        assert not changes_something(tool, arguments(), said("No changes made"), ["mine"])
        assert not changes_something(tool, arguments(), None)


def test_arguments_that_are_no_object_change_nothing():
    assert not changes_something("bash", Arguments.parse(b'["rm a"]'), None)
    assert not changes_something("bash", Arguments.parse(None), None)


def said(*texts: str, **rest: object) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text} for text in texts], **rest}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, True),
        ("ok", True),
        (5, True),
        ([], True),
        (said("Successfully replaced text in a.py"), True),
        (said("a", details={"changed": True}), True),
        (said("a", details={"changed": False}), False),
        (said("a", structuredContent={"changed": False}), False),
        ({"changed": False}, False),
        (said('{"changed": false, "path": "a"}'), False),
        (said('{"changed": true}'), True),
        (said('{"a": {"changed": false}}'), True),
        (said('{"changed": false'), True),
        ('{"changed": false}', False),
        (said("No changes made to a.py"), False),
        (said("No replacement was performed, old_str `x` did not appear verbatim in a."), False),
        ({"llmContent": "No changes to apply. The content is already up to date."}, False),
        (said("The file is unchanged"), False),
        (said("Edited a.py:\n" + "x\n" * 400 + "# no changes below"), True),
        (said("Edited a.py: no changes needed elsewhere"), True),
        (said("Successfully modified file: a.py (1 replacements)."), True),
    ],
)
def test_an_edit_may_say_that_nothing_was_changed(result: object, expected: bool):  # noqa: FBT001
    assert changes_something("edit", arguments(path="a"), result) is expected


WRITTEN = {
    "type": "update",
    "filePath": "a",
    "content": "No changes yet.",
    "structuredPatch": [],
    "originalFile": "No changes yet.",
}
"""Of Claude Code's Write, with the text that the file had already."""


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in WRITTEN.items() if name != key}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (WRITTEN, False),
        (without("originalFile"), False),
        (WRITTEN | {"type": "create", "originalFile": None}, True),
        (WRITTEN | {"originalFile": "No change yet.", "structuredPatch": [{"lines": ["-a", "+b"]}]}, True),
        (WRITTEN | {"originalFile": "\tNo changes yet."}, True),
        (without("structuredPatch"), True),
        (without("type"), True),
        ({"filePath": "a", "oldString": "a", "newString": "b", "structuredPatch": []}, True),
        ({"content": "No changes made to a.py"}, False),
        ({"filePath": "a", "output": "No changes made to a.py"}, False),
    ],
)
def test_what_was_written_is_no_word_of_the_tool(result: object, expected: bool):  # noqa: FBT001
    assert changes_something("Write", arguments(file_path="a", content="b"), result) is expected


HEAD = f"Index: /a b\n{'=' * 67}\n--- /a b\toriginal\n+++ /a b\tmodified\n"
HUNK = "@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n"


@pytest.mark.parametrize("shown", [f"```diff\n{HEAD}```\n\n", f"```diff\n{HEAD}{HUNK}```\n\n"])
def test_an_empty_diff_is_no_edit(shown: str):
    results = [
        shown,
        said(shown),
        said(shown)["content"],
        said(shown, structuredContent={"content": shown}),
        json.dumps({"content": shown}, separators=(",", ":")),
        {"textResultForLlm": shown},
        {"llmContent": [{"text": f"<untrusted_context>\n{shown}\n</untrusted_context>"}]},
    ]
    for result in results:
        assert changes_something("mcp__filesystem__edit_file", arguments(), result) is ("@@" in shown)


@pytest.mark.parametrize(
    "text", ["```diff\n", "```diff\n-a\n+b\n```", "```diff\nIndex: a\n===\n--- a\n+++ b\n+x\n```"]
)
def test_other_diffs_are_edits(text: str):
    assert changes_something("edit_file", arguments(), said(text))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rm a", False),
        ("mv a b", False),
        ("cd x && mkdir y", False),
        ("git commit -m x", False),
        ("git push -u origin x", False),
        # What may have done a part of it
        ("rm a b", True),
        ("rm *.o", True),
        ("rm -r a", True),
        ("rm $files", True),
        ("cp a b c", True),
        ("patch -p1 < a.diff", True),
        ("apply_patch <<'EOF'\nx\nEOF\n", True),
        ("git merge x", True),
        ("git stash pop", True),
        ("sed -i s/a/b/ x y", True),
        ("rsync -a a b", True),
        ("tar xf a", True),
        ("npm install", True),
        ("make install", True),
        ("sudo rm a", False),
        ("bash -lc 'cd x && rm a'", False),
        ("# why\nrm a # so", False),
        ("sed -i s/a/b/ f && pytest", True),
        ("sed -i s/a/b/ f; pytest", True),
        ("sed -i s/a/b/ f\npytest", True),
        ("mkdir a && rm b", True),
        ("rm a; rm a", True),
        ("bash -c 'rm a' && pytest", True),
        ("npm install | tail -5", True),
        ("for f in *; do rm $f; done", True),
        ("pytest > log", True),
        ("pytest 2>&1 | tee log", True),
        ("pytest", False),
    ],
)
def test_a_command_that_failed_has_changed_nothing_if_it_does_but_one_thing(command: str, expected: bool):  # noqa: FBT001
    assert changes(command, {"exitCode": 1, "output": "x"}) is expected
    assert changes(command, said("x", details={"status": "failed", "exitCode": 1})) is expected
    assert changes(command, {"exitCode": 0, "output": "x"}) is (expected or command != "pytest")
    assert changes(command, said("x")) is (expected or command != "pytest")


def test_an_exit_code_says_nothing_of_an_edit():
    assert changes_something("edit", arguments(path="a"), {"exitCode": 1})


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("git pull", "Already up to date.", False),
        ("git pull", "Updating 1..2\nFast-forward\n a | 2 +-", True),
        ("git push", "Everything up-to-date", False),
        ("git commit -m x || true", "On branch main\nnothing to commit, working tree clean", False),
        ("git checkout main", "Already on 'main'", False),
        ("git stash", "No local changes to save", False),
        ("npm install", "\nup to date, audited 12 packages in 1s", False),
        ("npm install x", "\nadded 1 package, and audited 13 packages in 1s", True),
        ("pip install x", "Requirement already satisfied: x in ./.venv", False),
        ("pip install x y", "Requirement already satisfied: x\nSuccessfully installed y-1.0", True),
        (
            "apt-get install -y x",
            "x is already\n0 upgraded, 0 newly installed, 0 to remove and 5 not upgraded.",
            False,
        ),
        ("brew install x", "Warning: x 1.0 is already installed and up-to-date.", False),
        ("kubectl apply -f a", "deployment.apps/a unchanged", False),
        ("kubectl apply -f a", "service/a unchanged\ndeployment.apps/a configured", True),
        ("terraform apply", "No changes. Your infrastructure matches the configuration.", False),
        ("mkdir a && git pull", "Already up to date.", True),
        ("git pull > log", "Already up to date.", True),
        ("rm a", "nothing to commit", True),
        ("git add -A && git commit -m x", "x\n" * 9000 + "nothing to commit", False),
    ],
)
def test_a_manager_may_say_that_there_was_nothing_to_do(command: str, printed: str, expected: bool):  # noqa: FBT001
    assert changes(command, said(printed)) is expected
    assert changes(command, {"stdout": printed, "stderr": ""}) is expected
    assert changes(command, said("", details={"aggregated": printed})) is expected


@pytest.mark.parametrize(
    "unit",
    [
        "'",
        '"',
        '"\\',
        "$(",
        "`",
        "{",
        "<<A\n",
        ">",
        "a;",
        "a ",
        "\\",
        "a=b ",
        "sudo ",
        "((",
        "#",
        "bash -c '",
    ],
)
def test_great_command_lines_are_read_in_linear_time(unit: str):
    """Quadratic time would be longer than a test may take."""
    changes_something("bash", arguments(command=unit * (1_000_000 // len(unit))), None)
