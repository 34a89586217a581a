"""The spelling of commands: two of them mean the same, or only look alike."""

from __future__ import annotations

import shlex

from hypothesis import assume, given
from hypothesis import strategies as st

from convert.tools import OPTIONS, SUBCOMMANDS, spelling_of
from support.matrix import each

# In both, `⏎` is a line feed, and a row has two commands.
SAME = r"""
pytest "tests/unit" -q | python -m pytest -q tests/unit
pytest -k "a" --maxfail=1 tests | .venv/bin/pytest tests --maxfail 1 -k a
/opt/venv/bin/python3.11 x.py a b | python3 x.py a b
"$VIRTUAL_ENV"/bin/python -m pytest | pytest
uv run pytest -q | pytest -q
python -m pip install x -q | pip install -q x
npm run test | npm test
. .venv/bin/activate; make | source env/bin/activate⏎make
bash -lc "rm -rf a" | rm -fr a
cat $HOME/x "${HOME}/y" | cat ~/x ~/"y"
rm \~/x '$a' "\$b" | rm "~/x" \$a '$b'
rm 'a"b' "c'd" "e\\f" a""b a#b | rm a\"b c\'d 'e\f' ab "a#b"
cp a\ b c | cp "a b" c
rm -r -- "-f" | rm -r -- -f
rm a # note | rm a
rm "日本" -v -f | rm -f -v '日本'
rm a⏎rm b | rm a; rm b
if true; then rm "a"; fi | if true⏎then rm a⏎fi
case x in a) rm b;; esac | case x in "a") rm b;; esac
FOO="1 2" make >"out.txt" | FOO='1 2' make > out.txt
export A="1"; make | export A=1; make
rm $(ls "a") | rm $(ls a)
sudo -u x rm -rf a | sudo -u x rm -f -r a
tar -czf x.tgz src | tar -c -z -f x.tgz src
make -j4 all | make all -j 4
cp -t dst a b | cp a b -t dst
pip install -e ".[dev]" | pip install -e .[dev]
pytest a.py::test_x[1] | pytest "a.py::test_x[1]"
curl -X DELETE "https://a/x?y=1" | curl https://a/x?y=1 -XDELETE
find . -name '*.pyc' -exec rm {} \; | find . -name "*.pyc" -exec rm '{}' ';'
docker run --rm -v a:b img ls -x | docker run -v a:b --rm img ls -x
sed -i -e 's/a/b/' x | sed -e s/a/b/ -i x
git show HEAD@{1} > a | git show "HEAD@{1}" > a
git push -u origin HEAD | git push origin HEAD -u
git commit -m "Fix a" | git commit -m 'Repair b' -m 'It was wrong.'
git commit -am "Fix — a" -q | git commit --message="x $USER 🎉" -q -a
git commit --fix -m "Fix a" | git commit --fix -m 'Repair b'
git commit -m "$(cat <<'END'⏎Fix $(a)⏎⏎b⏎END⏎)" | git commit -m "$(cat <<E⏎Fix⏎E⏎)"
git commit -F - <<'END'⏎Fix a⏎END | git commit --file=- <<EOF⏎Fix b⏎EOF
cat > a <<'EOF' && make⏎x⏎EOF | cat <<END > a && make⏎x⏎END
python - <<'EOF'⏎print(1)⏎EOF | python3 - <<'EOF'⏎print(1)⏎EOF
"""
OTHER = r"""
cp a b | cp b a
mv -n a b | mv a b
mv -i -f a b | mv -f -i a b
rm -rf "a b" | rm -rf a b
rm '' | rm
rm -rf '$HOME/x' | rm -rf "$HOME/x"
rm $x | rm "$x"
rm "$a" "$b" | rm "$b" "$a"
rm ${HOME:-a}/x | rm $HOME/x
rm "~/x" | rm ~/x
rm ~"/x" | rm ~/x
rm ~user/x | rm "~user/x"
rm "*.py" | rm *.py
rm a? | rm a\?
rm [ab] | rm "[ab]"
rm a{b,c} | rm "a{b,c}"
rm "日本" | rm "月本"
rm "\a" | rm \a
rm -- -f a | rm -f -- a
rm -r -- -f | rm -r -f
rm a #b | rm a "#b"
rm -rf build/ | rm -rf build
rm `ls a` | rm $(ls a)
rm $(ls a) | rm $(ls b)
rm $((1+2)) | rm $((1+3))
rm $'a\tb' | rm 'a\tb'
a && b | a || b
a; b | a && b
a; b | b; a
a & b | a; b
! a | a
(a) | { a; }
make > a 2>&1 | make 2>&1 > a
make > a | make >> a
make 2> a | make > a
make | tee a | make || tee a
[[ a == * ]] && rm x | [[ a == "*" ]] && rm x
case x in *) rm b;; esac | case x in "*") rm b;; esac
for i in a b; do rm $i; done | for i in b a; do rm $i; done
f() { rm a; }; f | f() { rm b; }; f
A=1 make | A=2 make
A="$HOME" make | A='$HOME' make
export A=1; make | export A=2; make
sudo rm a | rm a
sudo -u x rm a | sudo rm -u x a
timeout 5 make | timeout 50 make
python a.py -x --y | python a.py --y -x
python -m a.b | python a.b
python2 a.py | python3 a.py
bin/deploy | deploy
uv run --with x pytest | uv run pytest
find . -name a -delete | find . -delete -name a
gcc a.c -lx -ly | gcc a.c -ly -lx
curl -d a -d b u | curl -d b -d a u
curl "https://a/?y=1&z=2" | curl https://a/?y=1&z=2
sed -i -e s/a/b/ x | sed -ie s/a/b/ x
sed -e s/a/b/ -e s/b/c/ f | sed -e s/b/c/ -e s/a/b/ f
tar -xf a -C b | tar -C b -xf a
docker run -e A img | docker run img -e A
docker compose -f a up | docker compose -f b up
npm run build -- --prod | npm run build --prod
npm install a b | npm install b a
pip install "a>1" | pip install a>1
pytest -k "a and b" | pytest -k a and b
pytest a.py b.py | pytest b.py a.py
make -j4 test | make -j8 test
make A=1 test | make test A=1
git checkout -- a | git checkout a
git -C a commit -m x | git -C b commit -m x
git commit | git commit -m x
git commit -m a b | git commit -m "a b"
git commit -m "a" "b" | git commit -m "a" -m "b"
git commit --amend -m a | git commit -m a
git commit -m x -- a.py | git commit -m y -- b.py
git commit -m "a $(rm b)" | git commit -m "a"
git commit -m "a `rm b`" | git commit -m "a"
git commit -m "$(cat <<END⏎a `rm b`⏎END⏎)" | git commit -m "a"
git commit -F - < a | git commit -F - < b
git commit -m a && git push | git commit -m a
git tag -m a v1 | git tag -m b v1
git commit --fix -m a x | git commit --fix -m a y
rm $x -r a | rm -r $x a
bash -c "rm $x" | bash -c 'rm $x'
bash -c 'rm "$1"' _ a | bash -c 'rm "$1"' _ b
cat <<EOF⏎$x⏎EOF | cat <<'EOF'⏎$x⏎EOF
cat <<EOF⏎x⏎EOF | cat <<EOF⏎y⏎EOF
cat <<-EOF⏎⇥x⏎EOF | cat <<EOF⏎⇥x⏎EOF
cat > a <<END && b⏎x⏎END | cat <<END > a || b⏎x⏎END
"""


def rows(table: str) -> list[tuple[str, str]]:
    """Return the pairs of a table."""
    found = []
    for line in table.strip().splitlines():
        words = line.replace("⏎", "\n").replace("⇥", "\t").split(" | ")
        # A pipe may be part of both commands.
        half = len(words) // 2
        found.append((" | ".join(words[:half]), " | ".join(words[half:])))
    return found


@each(("one", "other"), rows(SAME))
def test_two_spellings_are_one(one: str, other: str) -> None:
    assert spelling_of(one) == spelling_of(other) != ()


@each(("one", "other"), rows(OTHER))
def test_two_commands_are_two(one: str, other: str) -> None:
    assert spelling_of(one) != spelling_of(other)


@each("name", OPTIONS)
def test_known_options_may_change_places(name: str) -> None:
    options = OPTIONS[name]
    flags = [*options.flags, *options.whole, *(f"{o}=x" for o in options.values[:1])]

    one, other = (f"{name} {' '.join(way)} x y" for way in (flags, flags[::-1]))

    assert spelling_of(one) == spelling_of(other) != ()
    assert spelling_of(f"{name} x y") != spelling_of(f"{name} y x")
    assert " " not in name or name.split()[0] in SUBCOMMANDS


WORDS = st.lists(st.text("ab $*?[]{},~\"'\\#!;&|<>-=é日", max_size=6), min_size=1)


def quoted(word: str) -> str:
    return '"' + word.translate({ord(c): f"\\{c}" for c in '"\\$`'}) + '"'


@given(WORDS)
def test_quotes_make_no_difference(words: list[str]) -> None:
    ways = (shlex.quote, quoted)

    one, other = (" ".join(["x", *map(way, words)]) for way in ways)

    assert spelling_of(one) == spelling_of(other) != ()


@given(WORDS, WORDS)
def test_other_words_make_a_difference(words: list[str], others: list[str]) -> None:
    assume(words != others)

    one, other = (shlex.join(["x", *each]) for each in (words, others))

    assert spelling_of(one) != spelling_of(other)


def test_a_rule_for_noise_puts_the_home_into_quotes() -> None:
    one, other = ('cp "~/a" --to="~/b"', "cp $HOME/a --to=$HOME/b")

    assert spelling_of(one) != spelling_of(other)
    assert spelling_of(one, has_home=True) == spelling_of(other, has_home=True)


def test_nothing_is_known_of_a_command_that_no_shell_reads() -> None:
    assert spelling_of("rm 'a") == ()
    assert spelling_of(f"rm {'$(' * 200}a{')' * 200}") == ()
