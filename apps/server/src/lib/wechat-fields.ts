/** Longest values of kinds of fields, in characters; a field is called by its kind and a number, such as `thing1`. */
const LONGEST: Readonly<Record<string, number>> = {
  thing: 20,
  number: 32,
  letter: 32,
  symbol: 5,
  character_string: 32,
  phrase: 5,
  phone_number: 17,
  car_number: 8,
  name: 10,
}
const KIND = /^([a-z_]+?)\d+$/

/**
 * Fields of a message template at WeChat, `thing1=words` by the line. Longer values than WeChat takes are cut.
 * @param text a template that was filled
 */
export function wechatFields(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const at = line.indexOf('=')
    if (at < 1) continue
    const key = line.slice(0, at).trim()
    fields[key] = fitted(key, line.slice(at + 1).trim())
  }
  return fields
}

function fitted(key: string, value: string): string {
  const kind = KIND.exec(key)?.[1] ?? ''
  // WeChat takes no name of a zone behind a time.
  if (kind === 'time' || kind === 'date') return value.replace(/ [A-Z]+$/, '')
  const most = LONGEST[kind]
  const letters = [...value]
  if (most === undefined || letters.length <= most) return value
  return `${letters.slice(0, most - 1).join('')}…`
}
