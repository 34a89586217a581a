"""Keys next to the service they belong to, in addresses and in commands."""

from __future__ import annotations

_KEYS = (
    (
        "ACCESSKEY\tAKIA{u16}\t2026-01-01\t«{a40}»\tActive\tbob",
        "ACCESSKEY\tAKIAEXAMPLE\t2026-01-01\tActive\tbob",
    ),
    ("PASSWORD_SALT=«{a24}»", "PASSWORD_SALT=${SALT}"),
    (
        "users=bob:«$$apr1$${a8}$${a22}»",
        "users=bob:$$HASH",
    ),
    ("AKIA{u16},«{a40}»", "AKIAEXAMPLE,Active"),
    (
        "ACCESSKEY\tAKIA{u16}\tActive\n«{a40}»\n",
        "Asia/Tokyo\tActive\n{h40}\n",
    ),
    ("deploy with «prod:quiet-lake-12|eyJ2{a50}=»", "deploy prod:quiet-lake-12|eyJ"),
    ("new Ably.Realtime('«{a6}.{a6}:{t43}»')", "new Ably.Realtime(options)"),
    (
        "VALUES (1, 'bob', '«$2b$12${a53}»')",
        "VALUES (1, 'bob', '$2b$12$xxxxxxxx')",
    ),
    (
        "stored as «$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}»",
        "stored as $argon2id$v=19$m=65536,t=3,p=4$",
    ),
)
_ADDRESSES = (
    (
        "https://open.feishu.cn/open-apis/bot/v2/hook/«{h8}-{h4}-{h4}-{h4}-{h12}»",
        "https://open.feishu.cn/open-apis/bot/v2/hook/<id>",
    ),
    ("https://hook.eu2.make.com/«{l32}»", "https://hook.eu2.make.com/docs"),
    (
        "http://localhost:8085/?code=«4/0A{t60}»&scope=mail",
        "http://localhost:8085/?code=404&scope=mail",
    ),
    (
        "curl 'https://shop.azurewebsites.net/api/run?code=«{t54}==»'",
        "curl 'https://shop.azurewebsites.net/api/run?code=200'",
    ),
)
_COMMANDS = (
    ("rabbitmqctl add_user shop «sl4te-roof»", "rabbitmqctl add_user shop"),
    ("user admin insecure-password «sl4te-roof»", "user admin password $5$rounds"),
    ("olcRootPW: «sl4te-roof»", "olcRootPW: {SSHA}"),
    (
        'proxy_set_header Authorization "Basic «{b24}»";',
        "proxy_set_header Authorization $http_authorization;",
    ),
    ("sshpass -p«sl4te-roof» ssh bob@h", "sshpass -e ssh -p2210 bob@h"),
    (
        "security unlock-keychain -p «sl4te-roof» b.keychain",
        "security list-keychains -s b.keychain",
    ),
    ("security create-keychain -p «sl4te-roof» b", "security create-keychain -P b"),
    ("supabase link --project-ref abc -p «sl4te-roof»", "supabase link --debug"),
    (
        "aws secretsmanager create-secret --name x --secret-string «sl4te-roof»",
        "aws secretsmanager create-secret --secret-string file://s.json",
    ),
    (
        "aws ssm put-parameter --name x --type SecureString --value «sl4te-roof»",
        "aws ssm put-parameter --name x --type String --value eu-west-1",
    ),
    (
        "aws ssm put-parameter --name x --value «sl4te-roof» --type SecureString",
        "aws ssm put-parameter --value eu-west-1 --type String",
    ),
    (
        "az keyvault secret set --vault-name v --name n --value «sl4te-roof»",
        "az appconfig kv set --key n --value eu-west-1",
    ),
    (
        "printf '«sl4te-roof»' | gcloud secrets create db --data-file=-",
        "gcloud secrets create db --data-file=db.txt",
    ),
    (
        "echo «sl4te-roof» | gcloud secrets versions add db --data-file=-",
        "echo done | gcloud secrets versions list db",
    ),
    ('echo "«sl4te-roof»" | npx wrangler secret put API', "npx wrangler secret list"),
    (
        "echo «sl4te-roof» | vercel env add DB_PASSWORD production",
        "vercel env add DB_PASSWORD production",
    ),
    ("curl -b '«session={a40}»' https://x.example", "curl -b jar.txt https://x"),
    ("sessionid=«{l32}»; theme=dark", "sessionid=<your-session>; theme=dark"),
    ("GET /a?PHPSESSID=«{l26}» 200", "lsof -u bob:users && install -u alice:web a b"),
)
_SETTINGS = (
    ("spring.mail.password=«hunterTwo2»\n", "spring.mail.password=${MAIL}\n"),
    ("db.password=«quietLake7»\nport=1", "this.password=newPassword2;\nport=1"),
    ("[smtp]\nsmtp_pass: «quietLake7»\n", "[smtp]\nsmtp_pass: getPass2(),\n"),
    (
        "{Host:db Port:5432 User:app Password:«quietLake7» SSL:true}",
        "{Host:db Port:5432 User:app Password:secret SSL:true}",
    ),
    (
        'Config { user: "a", password: Some("«quietLake7»") }',
        'Config { user: "a", password: Some(password2) }',
    ),
    (
        "page.getByLabel('Password').fill('«quietLake7»')",
        "root:*:19700:0:99999:7:::",
    ),
    (
        "page.getByPlaceholder('Your password').fill('«quietLake7»')",
        "page.getByPlaceholder('Your password').fill('')",
    ),
    ("cy.get('#password').type('«quietLake7»')", "cy.get('#password').type(pw2)"),
    (
        "find_element(By.ID, 'password').send_keys('«quietLake7»')",
        "find_element(By.ID, 'password').send_keys(Keys.ENTER)",
    ),
    (
        '{"Type":"SecureString","Value":"«quietLake7»"}',
        '{"Type":"String","Value":"quietLake7"}',
    ),
    (
        "process.env.JWT_SECRET || '«our-very-long-jwt-phrase»'",
        "process.env.JWT_SECRET || 'not set'",
    ),
    ("env.DB_PASSWORD ?? '«quietLake7»'", "env.DB_PASSWORD ?? defaultPassword2"),
    ("define('AUTH_KEY',         '«k7#Lp!x@9vQ»');", "define('AUTH_KEY',   $key);"),
    ("aeg-sas-key: «{b43}=»", "password: :class:`str`, or passphrase: :py:data:`x.y`"),
)
SERVICES = [
    *(("services, settings", *row) for row in _SETTINGS),
    *(("services, commands", *row) for row in _COMMANDS),
    *(("services, keys", *row) for row in _KEYS),
    *(("services, addresses", *row) for row in _ADDRESSES),
]
