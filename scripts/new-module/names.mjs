// The names of a module, from the one that was given.

/**
 * @param {string} name a plural noun in kebab-case
 * @returns all forms in which it stands in files
 */
export function namesOf(name) {
  const plural = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
  const words = name.replaceAll('-', ' ')
  return {
    name,
    plural,
    singular,
    Plural: plural[0].toUpperCase() + plural.slice(1),
    Singular: singular[0].toUpperCase() + singular.slice(1),
    table: name.replaceAll('-', '_'),
    object: singular.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
    CONSTANT: name.replaceAll('-', '_').toUpperCase(),
    words,
    Words: words[0].toUpperCase() + words.slice(1),
    path: `/admin/${name}`,
  }
}
