/** The examples of docs/device-protocol, each downloaded when it is looked at. */
const FILES = import.meta.glob('../../../../../../docs/device-protocol/**/*.{c,h,ino,py,md}', {
  query: '?raw',
  import: 'default',
}) as Record<string, () => Promise<string>>

const ROOT = '../../../../../../docs/device-protocol/'

export const EXAMPLES = {
  c: ['c/example.c', 'c/thingwright.h', 'c/thingwright.c'],
  arduino: ['arduino/thingwright_esp32.ino', 'c/thingwright.h', 'c/thingwright.c'],
  python: ['python/thingwright.py'],
  at: ['at-commands.md'],
} as const
export type ExampleKind = keyof typeof EXAMPLES

/** The text of an example; throws for a file that is none. */
export function exampleText(file: string): Promise<string> {
  const load = FILES[ROOT + file]
  if (!load) throw new Error(`no example ${file}`)
  return load()
}
