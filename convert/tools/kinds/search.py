"""Searching the files of the project."""

from __future__ import annotations

from convert.tools.row import Noise, Phrases, SubjectArguments, Tool

ROWS = {
    "grep": Tool(
        phrases=Phrases(
            en="Searched file contents",
            es="Buscó en el contenido de archivos",
            fr="Contenu des fichiers parcouru",
            de="Dateiinhalte durchsucht",
            ko="파일 내용을 검색함",
            ja="ファイルの内容を検索した",
            zh="搜索了文件内容",
            tr="Dosya içerikleri arandı",
        ),
        subject=SubjectArguments(
            verb="Searched for", words=("pattern",), paths=("path", "glob")
        ),
        effect="looks",
        lane="look",
        label="grep",
        noise=None,
        text_member=None,
        transcript="search.grep",
    ),
    "glob": Tool(
        phrases=Phrases(
            en="Searched file names",
            es="Buscó nombres de archivos",
            fr="Noms de fichiers recherchés",
            de="Dateinamen gesucht",
            ko="파일 이름을 검색함",
            ja="ファイル名を検索した",
            zh="搜索了文件名",
            tr="Dosya adları arandı",
        ),
        subject=SubjectArguments(
            verb="Searched for files",
            words=("globPattern",),
            paths=("targetDirectory",),
        ),
        effect="looks",
        lane="look",
        label="find",
        noise=None,
        text_member=None,
        transcript="search.glob",
    ),
    "semSearch": Tool(
        phrases=Phrases(
            en="Searched codebase",
            es="Buscó en el código base",
            fr="Base de code parcourue",
            de="Codebasis durchsucht",
            ko="코드베이스를 검색함",
            ja="コードベースを検索した",
            zh="搜索了代码库",
            tr="Kod tabanı arandı",
        ),
        subject=SubjectArguments(
            verb="Searched codebase for", words=("query",), paths=("targetDirectories",)
        ),
        effect="looks",
        lane="look",
        label="search",
        noise=Noise(arguments=("explanation",)),
        text_member="results",
        transcript="search.sem_search",
    ),
    "readLints": Tool(
        phrases=Phrases(
            en="Read linter results",
            es="Leyó los resultados del linter",
            fr="Résultats du linter lus",
            de="Linter-Ergebnisse gelesen",
            ko="린터 결과를 읽음",
            ja="リンターの結果を読み込んだ",
            zh="读取了 linter 结果",
            tr="Linter sonuçları okundu",
        ),
        subject=None,
        effect="looks",
        lane="look",
        label="lints",
        noise=None,
        text_member=None,
        transcript="search.read_lints",
    ),
}
