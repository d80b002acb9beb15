/** WeChat's own elements that mini-programs here use: what they show, and the values that a person reads from them. */
export const TAGS: Readonly<Record<string, readonly string[]>> = {
  view: [],
  text: [],
  button: ['type', 'size', 'loading', 'disabled'],
  input: ['value', 'placeholder', 'password', 'type', 'maxlength', 'confirmType', 'disabled'],
  switch: ['checked', 'disabled'],
  picker: ['range', 'value', 'disabled'],
}

/** Their names in the framework: some would be taken for elements of HTML. */
export const nameOf = (tag: string) => `wx-${tag}`

/** A template with WeChat's elements under those names. @throws Error for one that is not known here */
export function renamed(template: string): string {
  return template.replace(/<(\/?)([a-z][a-z-]*)/g, (_, slash: string, tag: string) => {
    if (tag === 'block') return `<${slash}${tag}`
    if (!(tag in TAGS)) throw new Error(`<${tag}> is not known to the simulator`)
    return `<${slash}${nameOf(tag)}`
  })
}
