import type { ApiBody, ApiRequest } from './request.ts'

export const LANGUAGES = ['curl', 'javascript', 'python', 'java', 'go', 'csharp'] as const
export type Language = (typeof LANGUAGES)[number]

/** What the languages are called; names, not words of a language. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  java: 'Java',
  go: 'Go',
  csharp: 'C#',
}

/**
 * The request as a program in the language, with nothing but its usual library (Python: requests). The token or API
 * key is read from the environment variable TOKEN: a secret has no place in a source file.
 */
export function sample(language: Language, request: ApiRequest): string {
  return WRITERS[language](request)
}

const WRITERS: Record<Language, (request: ApiRequest) => string> = { curl, javascript, python, java, go, csharp }

/** A JSON string is at the same time a literal of JavaScript, Python, Java, Go and C#. */
const quoted = (text: string): string => JSON.stringify(text)
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)
const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
const type = (body: ApiBody): string =>
  body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
const encoded = (fields: [string, string][]): string => new URLSearchParams(fields).toString()
const CLIENT = 'Y2xpOmNsaQ=='

function curl({ method, url, authorization, body }: ApiRequest): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${shell(url)}`]
  if (authorization === 'bearer') lines.push('-H "Authorization: Bearer $TOKEN"')
  if (authorization === 'client') lines.push('-u cli:cli')
  if (body?.kind === 'json') lines.push(`-H 'Content-Type: application/json'`, `-d ${shell(pretty(body.value))}`)
  if (body?.kind === 'form')
    lines.push(...body.fields.map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`))
  if (body?.kind === 'multipart')
    lines.push(
      ...body.fields.map(([name, value]) => `--form-string ${shell(`${name}=${value}`)}`),
      ...body.files.map(([name, file]) => `-F ${shell(`${name}=@${file}`)}`),
    )
  return lines.join(' \\\n  ')
}

function javascript({ method, url, authorization, body }: ApiRequest): string {
  const headers: string[] = []
  const preamble: string[] = []
  if (authorization === 'bearer') headers.push(`authorization: 'Bearer ' + process.env.TOKEN`)
  if (authorization === 'client') headers.push(`authorization: 'Basic ${CLIENT}'`)
  if (body?.kind === 'json') headers.push(`'content-type': 'application/json'`)
  if (body?.kind === 'multipart') {
    preamble.push(`import { openAsBlob } from 'node:fs'`, '', 'const form = new FormData()')
    for (const [name, value] of body.fields) preamble.push(`form.set(${quoted(name)}, ${quoted(value)})`)
    for (const [name, file] of body.files)
      preamble.push(`form.set(${quoted(name)}, await openAsBlob(${quoted(file)}), ${quoted(file)})`)
  }
  const parts = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length ? [`headers: {\n    ${headers.join(',\n    ')},\n  }`] : []),
    ...(body?.kind === 'json' ? [`body: JSON.stringify(${indented(pretty(body.value), '  ')})`] : []),
    ...(body?.kind === 'form'
      ? [`body: new URLSearchParams(${indented(pretty(Object.fromEntries(body.fields)), '  ')})`]
      : []),
    ...(body?.kind === 'multipart' ? ['body: form'] : []),
  ]
  const options = parts.length ? `, {\n  ${parts.join(',\n  ')},\n}` : ''
  return `${preamble.length ? `${preamble.join('\n')}\n` : ''}const response = await fetch(${quoted(url)}${options})
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
console.log(await response.json())
`
}

function python({ method, url, authorization, body }: ApiRequest): string {
  const args = [quoted(url)]
  if (authorization === 'bearer') args.push(`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}`)
  if (authorization === 'client') args.push('auth=("cli", "cli")')
  if (body?.kind === 'json') args.push(`json=${indented(pythonLiteral(body.value, ''), '    ')}`)
  if (body?.kind === 'form' || (body?.kind === 'multipart' && body.fields.length))
    args.push(`data=${indented(pythonLiteral(Object.fromEntries(body.fields), ''), '    ')}`)
  if (body?.kind === 'multipart')
    args.push(`files={${body.files.map(([name, file]) => `${quoted(name)}: open(${quoted(file)}, "rb")`).join(', ')}}`)
  args.push('timeout=30')
  return `${authorization === 'bearer' ? 'import os\n\n' : ''}import requests

response = requests.${method.toLowerCase()}(
    ${args.join(',\n    ')},
)
response.raise_for_status()
print(response.json())
`
}

function pythonLiteral(value: unknown, by: string): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || value === undefined) return 'None'
  const inner = `${by}    `
  if (Array.isArray(value))
    return value.length ? `[\n${value.map(each => `${inner}${pythonLiteral(each, inner)},`).join('\n')}\n${by}]` : '[]'
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    if (entries.length === 0) return '{}'
    return `{\n${entries.map(([key, each]) => `${inner}${quoted(key)}: ${pythonLiteral(each, inner)},`).join('\n')}\n${by}}`
  }
  return JSON.stringify(value)
}

function java({ method, url, authorization, body }: ApiRequest): string {
  const steps = [`HttpRequest.newBuilder(URI.create(${quoted(url)}))`]
  if (authorization === 'bearer') steps.push('.header("Authorization", "Bearer " + System.getenv("TOKEN"))')
  if (authorization === 'client') steps.push(`.header("Authorization", "Basic ${CLIENT}")`)
  let before = ''
  let publisher = 'BodyPublishers.noBody()'
  if (body?.kind === 'multipart') {
    before = `    String boundary = java.util.UUID.randomUUID().toString();
    var parts = new java.io.ByteArrayOutputStream();
${body.fields
  .map(
    ([name, value]) =>
      `    parts.write(("--" + boundary + "\\r\\nContent-Disposition: form-data; name=\\"${name}\\"\\r\\n\\r\\n" + ${quoted(value)} + "\\r\\n").getBytes("UTF-8"));\n`,
  )
  .join('')}${body.files
  .map(
    ([name, file]) =>
      `    parts.write(("--" + boundary + "\\r\\nContent-Disposition: form-data; name=\\"${name}\\"; filename=\\"${file}\\"\\r\\n\\r\\n").getBytes("UTF-8"));
    parts.write(java.nio.file.Files.readAllBytes(java.nio.file.Path.of(${quoted(file)})));
    parts.write("\\r\\n".getBytes("UTF-8"));\n`,
  )
  .join('')}    parts.write(("--" + boundary + "--\\r\\n").getBytes("UTF-8"));
`
    steps.push('.header("Content-Type", "multipart/form-data; boundary=" + boundary)')
    publisher = 'BodyPublishers.ofByteArray(parts.toByteArray())'
  } else if (body) {
    steps.push(`.header("Content-Type", "${type(body)}")`)
    const text = body.kind === 'json' ? pretty(body.value) : encoded(body.fields)
    publisher = `BodyPublishers.ofString(${textBlock(text, '            ')})`
  }
  steps.push(method === 'GET' ? '.GET()' : `.method("${method}", ${publisher})`, '.build()')
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

class Call {
  public static void main(String[] args) throws Exception {
${before}    HttpRequest request = ${steps.join('\n        ')};
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
  }
}
`
}

/** Java 15: a text over several lines, unless something in it would be read as more than text. */
function textBlock(text: string, by: string): string {
  if (!text.includes('\n') || text.includes('\\') || text.includes('"""')) return quoted(text)
  return `"""\n${by}${indented(text, by)}"""`
}

function go({ method, url, authorization, body }: ApiRequest): string {
  const imports = new Set(['fmt', 'io', 'net/http'])
  let before = ''
  let reader = 'nil'
  if (body?.kind === 'multipart') {
    for (const name of ['bytes', 'mime/multipart', 'os']) imports.add(name)
    before = `	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
${body.fields.map(([name, value]) => `	parts.WriteField(${quoted(name)}, ${quoted(value)})\n`).join('')}${body.files
  .map(
    ([name, file], at) => `	file${at}, err := os.Open(${quoted(file)})
	if err != nil {
		panic(err)
	}
	part${at}, _ := parts.CreateFormFile(${quoted(name)}, ${quoted(file)})
	io.Copy(part${at}, file${at})
`,
  )
  .join('')}	parts.Close()
`
    reader = '&form'
  } else if (body) {
    imports.add('strings')
    const text = body.kind === 'json' ? pretty(body.value) : encoded(body.fields)
    reader = `strings.NewReader(${text.includes('`') || !text.includes('\n') ? quoted(text) : `\`${text}\``})`
  }
  const headers: string[] = []
  if (authorization === 'bearer') {
    imports.add('os')
    headers.push('	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))')
  }
  if (authorization === 'client') headers.push('	request.SetBasicAuth("cli", "cli")')
  if (body?.kind === 'multipart') headers.push('	request.Header.Set("Content-Type", parts.FormDataContentType())')
  else if (body) headers.push(`	request.Header.Set("Content-Type", "${type(body)}")`)
  return `package main

import (
${[...imports]
  .sort()
  .map(name => `	"${name}"`)
  .join('\n')}
)

func main() {
${before}	request, err := http.NewRequest("${method}", ${quoted(url)}, ${reader})
	if err != nil {
		panic(err)
	}
${headers.map(line => `${line}\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(text))
}
`
}

function csharp({ method, url, authorization, body }: ApiRequest): string {
  const lines = [`using var client = new HttpClient();`]
  const verb = method[0] + method.slice(1).toLowerCase()
  lines.push(`using var request = new HttpRequestMessage(HttpMethod.${verb}, ${quoted(url)});`)
  const scheme = (kind: string, value: string) =>
    lines.push(
      `request.Headers.Authorization = new System.Net.Http.Headers.AuthenticationHeaderValue("${kind}", ${value});`,
    )
  if (authorization === 'bearer') scheme('Bearer', 'Environment.GetEnvironmentVariable("TOKEN")')
  if (authorization === 'client') scheme('Basic', `"${CLIENT}"`)
  if (body?.kind === 'json')
    lines.push(
      `request.Content = new StringContent(${rawString(pretty(body.value))}, System.Text.Encoding.UTF8, "application/json");`,
    )
  if (body?.kind === 'form')
    lines.push(
      `request.Content = new FormUrlEncodedContent(new Dictionary<string, string>`,
      '{',
      ...body.fields.map(([name, value]) => `    [${quoted(name)}] = ${quoted(value)},`),
      '});',
    )
  if (body?.kind === 'multipart') {
    lines.push('var form = new MultipartFormDataContent();')
    for (const [name, value] of body.fields)
      lines.push(`form.Add(new StringContent(${quoted(value)}), ${quoted(name)});`)
    for (const [name, file] of body.files)
      lines.push(`form.Add(new StreamContent(File.OpenRead(${quoted(file)})), ${quoted(name)}, ${quoted(file)});`)
    lines.push('request.Content = form;')
  }
  lines.push(
    'using var response = await client.SendAsync(request);',
    `Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");`,
  )
  return `${lines.join('\n')}\n`
}

/** C# 11: the closing quotes stand alone, and their indentation is taken off every line. */
function rawString(text: string): string {
  return text.includes('\n') && !text.includes('"""') ? `"""\n${text}\n"""` : quoted(text)
}
