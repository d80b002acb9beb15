// The one line of a new module in each list that names modules. Every list is found by a line that stands in it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Puts a line before or behind another one; the order of imports is the formatter's. */
function insert(text, file, { before, behind, line }) {
  const mark = before ?? behind
  const at = text.indexOf(mark)
  if (at < 0) throw new Error(`${file} has no longer the line ${JSON.stringify(mark.trim())}`)
  return before ? `${text.slice(0, at)}${line}${text.slice(at)}` : text.replace(mark, () => `${mark}${line}`)
}

const OWNERS = 'apps/server/src/table-owners.json'

/** Who owns the new table, in the order of their names; a line each, which a writer of JSON would not keep. */
function own(target, table, module) {
  const path = join(target, OWNERS)
  const lines = readFileSync(path, 'utf8').split('\n')
  const from = lines.indexOf('  "tables": {') + 1
  const later = lines.findIndex((line, i) => i >= from && (/^ {4}"(\w+)"/.exec(line)?.[1] ?? '') > table)
  if (from === 0) throw new Error(`${OWNERS} is not written as it was: add the table ${table} by hand`)
  lines.splice(later < 0 ? from : later, 0, `    "${table}": { "owner": "${module}" },`)
  writeFileSync(path, lines.join('\n'))
  return [OWNERS]
}

const OPERATIONS = 'packages/contracts/locales/operations.json'
const sorted = of => Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)))

/** What the documents of the API say of its routes in Chinese, among those of the others. */
function describeRoutes(target, { plural, Words, zh, children }) {
  const path = join(target, OPERATIONS)
  const { tags, operations } = JSON.parse(readFileSync(path, 'utf8'))
  const routes = {
    list: `企业的${zh}，最新的在前`,
    create: `添加${zh}`,
    get: `一个${zh}`,
    update: `重命名${zh}`,
    ...Object.fromEntries(
      children.flatMap(child => [
        [`list${child.Plural}`, `${zh}的下级内容，最新的在前`],
        [`add${child.Singular}`, `为${zh}添加下级内容`],
      ]),
    ),
    remove: `删除${zh}及其下级内容`,
  }
  const all = { tags: sorted({ ...tags, [Words]: zh }), operations: sorted({ ...operations, [plural]: routes }) }
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`)
  return [OPERATIONS]
}

/** @param {string} target the repository @param n as of names.mjs @returns {string[]} the files that were changed @throws when a list is not written as it was */
export function register(target, n) {
  const { name: module, plural, table, children } = n
  const lines = {
    'apps/server/src/app/further-modules.ts': [
      { before: 'import type ', line: `import { ${plural}Module } from '../modules/${module}/index.ts'\n` },
      { behind: '  // One a line, so that two branches can add one each.\n', line: `  ${plural}Module,\n` },
    ],
  }
  for (const [file, edits] of Object.entries(lines)) {
    const at = join(target, file)
    writeFileSync(
      at,
      edits.reduce((text, edit) => insert(text, file, edit), readFileSync(at, 'utf8')),
    )
  }
  return [
    ...Object.keys(lines),
    ...describeRoutes(target, n),
    ...[...new Set([table, ...children.map(child => child.table)].flatMap(each => own(target, each, module)))],
  ]
}
