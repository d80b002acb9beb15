import type { TemplateFields } from '@thingwright/contracts/wechat-followers.contract'

const KIND = /^([a-z_]+?)\d+$/
/** What a field of words may say, in the order in which it is proposed. */
const WORDS = ['trigger', 'device', 'value', 'product']

/** As the words of a message name it. */
const variable = (name: string) => `\${${name}}`

/** Keys of the lines of a body, such as `thing1`. */
const keysOf = (body: string): string[] =>
  body.split('\n').flatMap(line => (line.indexOf('=') > 0 ? [line.slice(0, line.indexOf('=')).trim()] : []))

/** Fields of the template that no line is for, and keys of lines that the template does not have. */
export function differences(fields: TemplateFields, body: string): { missing: string[]; unknown: string[] } {
  const keys = keysOf(body)
  const known = fields.map(({ key }) => key)
  return { missing: known.filter(key => !keys.includes(key)), unknown: keys.filter(key => !known.includes(key)) }
}

/** The body for another template: lines for its fields as they are there already, and proposals for the others. */
export function bodyFor(fields: TemplateFields, body: string): string {
  if (fields.length === 0) return body
  const lines = new Map(body.split('\n').map(line => [line.slice(0, line.indexOf('=')).trim(), line]))
  const kept = fields.flatMap(({ key }) => lines.get(key) ?? []).join('\n')
  const words = WORDS.filter(word => !kept.includes(variable(word)))
  const proposed = (key: string): string => {
    const kind = KIND.exec(key)?.[1] ?? ''
    if (kind === 'time' || kind === 'date') return variable('time')
    if (kind === 'character_string') return variable('deviceNo')
    const word = kind === 'thing' ? words.shift() : undefined
    return word === undefined ? '' : variable(word)
  }
  return fields.map(({ key }) => lines.get(key) ?? `${key}=${proposed(key)}`).join('\n')
}
