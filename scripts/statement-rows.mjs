// What the types of statements say of their rows (sql<Row>`…`), for the check of all statements.
import { join, relative } from 'node:path'
import { SyntaxKind } from 'typescript-native/unstable/ast'
import { API, TypeFlags } from 'typescript-native/unstable/sync'
import { root } from './lib.mjs'

/** What a value can be, as far as the driver tells it apart; a list of an object's members is not looked into. */
function kindsOf(checker, type) {
  if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return ['any']
  if (type.flags & TypeFlags.Boolean) return ['boolean']
  if (type.isUnionType()) {
    try {
      return [...new Set(type.getTypes().flatMap(member => kindsOf(checker, member)))]
    } catch {
      return ['any']
    }
  }
  for (const [flags, kind] of [
    [TypeFlags.StringLike, 'string'],
    [TypeFlags.NumberLike, 'number'],
    [TypeFlags.BooleanLike, 'boolean'],
    [TypeFlags.Null, 'null'],
    [TypeFlags.Undefined, 'undefined'],
  ])
    if (type.flags & flags) return [kind]
  const text = checker.typeToString(type)
  if (text === 'Date') return ['Date']
  if (/^Buffer\b/.test(text)) return ['Buffer']
  if (/\[\]$|^(readonly )?\[|^(Readonly)?Array</.test(text)) return ['array']
  return ['object']
}

/** The type of the rows of what makes statements: sql<Row>`…`, listSql<Row, …>(…), updateOf<…, Row>(…). */
function rowOf(node) {
  if (node.kind === SyntaxKind.TaggedTemplateExpression)
    return node.tag.kind === SyntaxKind.Identifier && node.tag.text === 'sql' ? node.typeArguments?.[0] : undefined
  if (node.kind !== SyntaxKind.CallExpression || node.expression.kind !== SyntaxKind.Identifier) return undefined
  if (node.expression.text === 'listSql' || node.expression.text === 'filteredSql') return node.typeArguments?.[0]
  return node.expression.text === 'updateOf' || node.expression.text === 'insertInto'
    ? node.typeArguments?.[1]
    : undefined
}

/** @returns by `file:line` of the tag, below `apps/server/src`: name and kinds of each column */
export function statementRows() {
  const base = join(root, 'apps/server')
  const api = new API({ cwd: root })
  const rows = {}
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(base, 'tsconfig.json')] })
    for (const project of snapshot.getProjects()) {
      const { checker } = project
      for (const name of project.rootFiles) {
        if (/\.test\.ts$/.test(name) || !name.includes('/src/')) continue
        const file = project.program.getSourceFile(name)
        if (!file || !/lib\/sql\//.test(file.text)) continue
        const tags = []
        const visit = node => {
          const row = rowOf(node)
          if (row) tags.push({ node, row })
          node.forEachChild(visit)
        }
        visit(file)
        for (const { node, row } of tags) {
          const line = file.text.slice(0, node.getStart(file)).split('\n').length
          const type = checker.getTypeAtLocation(row)
          const columns = checker
            .getPropertiesOfType(type)
            .map(property => [property.name, kindsOf(checker, checker.getTypeOfSymbol(property))])
          // A list adds where each row stands.
          if (node.expression?.text === 'listSql') columns.push(['position', ['string']])
          rows[`${relative(join(base, 'src'), name)}:${line}`] = columns
        }
      }
    }
  } finally {
    api.close()
  }
  return rows
}

if (process.argv[1] === import.meta.filename) process.stdout.write(JSON.stringify(statementRows(), null, 1))
