/**
 * Request examples of routes. In them `{{create.id}}` stands for the id that the route `create` of the same contract
 * answered when its own example was sent, and `{{device.id}}`, `{{product.id}}`, `{{group.id}}` for an object that is
 * there. A text that is nothing but such a mark takes the value with its type.
 */
const WHOLE = /^\{\{([\w.]+)\}\}$/
const MARK = /\{\{([\w.]+)\}\}/g

/** The example with its marks replaced. @param find the value of a mark, such as `create.id` */
export function filledExample(value: unknown, find: (mark: string) => unknown): unknown {
  if (typeof value === 'string') {
    const whole = WHOLE.exec(value)
    return whole ? find(whole[1]!) : value.replaceAll(MARK, (_, mark: string) => String(find(mark)))
  }
  if (Array.isArray(value)) return value.map(each => filledExample(each, find))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledExample(each, find)]))
  return value
}

/** As the documents show it: ids and versions as they may look. */
export const shownExample = (value: unknown): unknown =>
  filledExample(value, mark => (mark.endsWith('.version') ? 1 : '01900000-0000-7000-8000-000000000000'))
