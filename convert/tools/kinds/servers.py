"""MCP servers."""

from __future__ import annotations

from convert.tools.row import Phrases, SubjectArguments, Tool

ROWS = {
    "mcp": Tool(
        phrases=Phrases(
            en="Used MCP tool",
            es="Usó una herramienta MCP",
            fr="Outil MCP utilisé",
            de="MCP-Werkzeug benutzt",
            ko="MCP 도구를 사용함",
            ja="MCPツールを使用した",
            zh="使用了 MCP 工具",
            tr="MCP aracı kullanıldı",
        ),
        subject=None,
        effect="acts on files",
        noise=None,
        transcript="servers.mcp",
    ),
    "getMcpTools": Tool(
        phrases=Phrases(
            en="Listed MCP tools",
            es="Listó las herramientas MCP",
            fr="Outils MCP listés",
            de="MCP-Werkzeuge aufgelistet",
            ko="MCP 도구 목록을 봄",
            ja="MCPツールを一覧表示した",
            zh="列出了 MCP 工具",
            tr="MCP araçları listelendi",
        ),
        subject=None,
        effect="looks",
        noise=None,
        transcript="servers.get_mcp_tools",
    ),
    "listMcpResources": Tool(
        phrases=Phrases(
            en="Listed MCP resources",
            es="Listó los recursos MCP",
            fr="Ressources MCP listées",
            de="MCP-Ressourcen aufgelistet",
            ko="MCP 리소스 목록을 봄",
            ja="MCPリソースを一覧表示した",
            zh="列出了 MCP 资源",
            tr="MCP kaynakları listelendi",
        ),
        subject=None,
        effect="looks",
        noise=None,
        transcript="servers.list_mcp_resources",
    ),
    "readMcpResource": Tool(
        phrases=Phrases(
            en="Read MCP resource",
            es="Leyó un recurso MCP",
            fr="Ressource MCP lue",
            de="MCP-Ressource gelesen",
            ko="MCP 리소스를 읽음",
            ja="MCPリソースを読み込んだ",
            zh="读取了 MCP 资源",
            tr="MCP kaynağı okundu",
        ),
        subject=SubjectArguments(verb="Read MCP resource", words=("server", "uri")),
        effect="looks",
        noise=None,
        transcript="servers.read_mcp_resource",
    ),
    "mcpAuth": Tool(
        phrases=Phrases(
            en="Signed in to MCP server",
            es="Inició sesión en un servidor MCP",
            fr="Connexion au serveur MCP",
            de="Am MCP-Server angemeldet",
            ko="MCP 서버에 로그인함",
            ja="MCPサーバーにサインインした",
            zh="登录了 MCP 服务器",
            tr="MCP sunucusunda oturum açıldı",
        ),
        subject=None,
        effect="acts",
        noise=None,
        transcript="other.as_json",
    ),
}
