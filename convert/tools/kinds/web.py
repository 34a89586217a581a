"""Pages and addresses on the web."""

from __future__ import annotations

from convert.tools.row import Phrases, SubjectArguments, Tool

ROWS = {
    "webSearch": Tool(
        phrases=Phrases(
            en="Searched the web",
            es="Buscó en la web",
            fr="Recherche web effectuée",
            de="Im Web gesucht",
            ko="웹을 검색함",
            ja="ウェブを検索した",
            zh="搜索了网络",
            tr="Web'de arama yapıldı",
        ),
        subject=SubjectArguments(verb="Searched the web for", words=("searchTerm",)),
        effect="looks",
        lane="look",
        label="web",
        noise=None,
        text_member=None,
        transcript="web.web_search",
    ),
    "webFetch": Tool(
        phrases=Phrases(
            en="Fetched web page",
            es="Obtuvo una página web",
            fr="Page web récupérée",
            de="Webseite abgerufen",
            ko="웹 페이지를 가져옴",
            ja="ウェブページを取得した",
            zh="获取了网页",
            tr="Web sayfası alındı",
        ),
        subject=SubjectArguments(verb="Fetched", words=("url",)),
        effect="looks",
        lane="look",
        label="fetch",
        noise=None,
        text_member="markdown",
        transcript="web.web_fetch",
    ),
    "fetch": Tool(
        phrases=Phrases(
            en="Fetched URL",
            es="Obtuvo una URL",
            fr="URL récupérée",
            de="URL abgerufen",
            ko="URL을 가져옴",
            ja="URLを取得した",
            zh="获取了 URL",
            tr="URL alındı",
        ),
        subject=SubjectArguments(verb="Fetched", words=("url",)),
        effect="looks",
        lane="look",
        label="fetch",
        noise=None,
        text_member="content",
        transcript="web.fetch",
    ),
}
