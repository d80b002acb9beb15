// The names of a module, from the one that was given.

/** Stands in Chinese where no name was given. */
const UNNAMED = '未命名模块'

/** What the tables below the first are called. */
const CHILDREN = ['entries', 'notes']

/**
 * @param {string} name a plural noun in kebab-case
 * @param {{ at?: string[], right?: string | null, zh?: string, consumer?: boolean, tables?: number }} options addresses of its list
 *   and of the page of one of them; noun of its own rights; its name in Chinese; whether it reads the journal; how many tables, 1 to 3
 * @returns all forms in which it stands in files
 */
export function namesOf(name, { at = [], right = null, zh = UNNAMED, consumer = false, tables = 1 } = {}) {
  const plural = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
  const words = name.replaceAll('-', ' ')
  const object = singular.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  const paths = at.length > 0 ? at : [`/admin/${name}`]
  return {
    name,
    plural,
    singular,
    Plural: plural[0].toUpperCase() + plural.slice(1),
    Singular: singular[0].toUpperCase() + singular.slice(1),
    table: name.replaceAll('-', '_'),
    object,
    CONSTANT: name.replaceAll('-', '_').toUpperCase(),
    words,
    Words: words[0].toUpperCase() + words.slice(1),
    zh,
    paths,
    path: paths[0],
    detail: paths[1] ?? null,
    right: right ?? 'device',
    ownRight: right !== null,
    consumer,
    children: CHILDREN.slice(0, tables - 1).map(child => {
      const one = child.replace(/ies$/, 'y').replace(/s$/, '')
      return {
        plural: child,
        Plural: child[0].toUpperCase() + child.slice(1),
        Singular: one[0].toUpperCase() + one.slice(1),
        table: `${object}_${child}`,
        CONSTANT: child.toUpperCase(),
      }
    }),
  }
}
