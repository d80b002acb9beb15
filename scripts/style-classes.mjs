// A class of a style module that is not there is `undefined` on the page, and says nothing: neither does one that
// nobody uses any more.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Every file under a folder whose name fits. */
function filesUnder(folder, fits) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && fits.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
}

/** The classes that a style sheet has rules for. */
export function classesOf(sheet) {
  const selectors = sheet
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/:global\([^)]*\)/g, '')
    .replace(/\{[^{}]*\}/g, '{}')
  return new Set([...selectors.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(match => match[1]))
}

/**
 * Compares the style modules under a folder with the code that uses them. A sheet that is handed on or read with a
 * computed name is only asked for what is used by name.
 * @returns a line for each class that is used and not there, or there and not used
 */
export function styleClasses(folder) {
  const sheets = new Map(
    filesUnder(folder, /\.module\.css$/).map(path => [
      path,
      { has: classesOf(readFileSync(path, 'utf8')), used: new Set(), open: false },
    ]),
  )
  const problems = []
  for (const path of filesUnder(folder, /\.tsx?$/)) {
    const code = readFileSync(path, 'utf8')
    const imports = [...code.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)]
    const rest = code.replace(/^import .*$/gm, '')
    for (const [, name, from] of imports) {
      const sheet = sheets.get(resolve(dirname(path), from))
      if (!sheet) continue // the compiler says so
      for (const [, called] of rest.matchAll(new RegExp(`(?<![\\w.'/])${name}\\.(\\w+)`, 'g'))) {
        sheet.used.add(called)
        if (!sheet.has.has(called)) problems.push(`${relative(folder, path)}: ${name}.${called} has no rule in ${from}`)
      }
      if (new RegExp(`(?<![\\w.])${name}(\\[|[,)} ])`).test(rest)) sheet.open = true
    }
  }
  for (const [path, { has, used, open }] of sheets)
    if (!open)
      for (const name of has) if (!used.has(name)) problems.push(`${relative(folder, path)}: .${name} is not used`)
  return problems
}

if (process.argv[1] === import.meta.filename) {
  const problems = styleClasses(resolve(process.argv[2] ?? '.'))
  for (const line of problems) process.stdout.write(`${line}\n`)
  process.exit(problems.length ? 1 : 0)
}
