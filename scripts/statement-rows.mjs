// What types say of statements, for the check of all of them: of their rows (sql<Row>`…`), and of the scopes that run them.
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

/** What makes statements: tags and calls. */
const isMaker = node =>
  (node.kind === SyntaxKind.TaggedTemplateExpression &&
    node.tag.kind === SyntaxKind.Identifier &&
    node.tag.text === 'sql') ||
  (node.kind === SyntaxKind.CallExpression &&
    node.expression.kind === SyntaxKind.Identifier &&
    ['listSql', 'filteredSql', 'updateOf', 'insertInto', 'holdable'].includes(node.expression.text))

/** The first name of what is run: FIND of `FIND`, `FIND.held`, `...LIST.page(…)`. */
function nameOf(node) {
  for (let at = node; at; at = at.expression) if (at.kind === SyntaxKind.Identifier) return at.text
  return undefined
}

/** Which database roles run the statements of a file, by the types of the scopes that they are given to. */
function rolesIn(file, checker, lineOf) {
  const runs = []
  const makers = new Map()
  const collect = (node, found) => {
    if (isMaker(node)) found.push(lineOf(node))
    node.forEachChild(child => collect(child, found))
  }
  const visit = node => {
    if (node.kind === SyntaxKind.VariableDeclaration && node.name.kind === SyntaxKind.Identifier && node.initializer) {
      const found = []
      collect(node.initializer, found)
      if (found.length > 0) makers.set(node.name.text, found)
    }
    if (
      node.kind === SyntaxKind.CallExpression &&
      node.expression.kind === SyntaxKind.PropertyAccessExpression &&
      node.expression.name.text === 'run' &&
      node.arguments.length > 0
    )
      runs.push(node)
    node.forEachChild(visit)
  }
  visit(file)
  const roles = {}
  for (const node of runs) {
    const lines = makers.get(nameOf(node.arguments[0]) ?? '')
    const type = checker.getTypeAtLocation(node.expression.expression)
    if (!lines || !type) continue
    const name = checker.typeToString(type)
    // A name of the file's own for a part of a scope.
    const words =
      new RegExp(`^(?:export )?(?:type|interface) ${name.replace(/\W.*/, '')}\\b(.*)`, 'm').exec(file.text)?.[1] ?? name
    const [app, system] = [/\bTenantScope\b/.test(words), /\bSystemScope\b/.test(words)]
    // Of a function for both, each caller means one.
    if (app === system) continue
    for (const line of lines) roles[line] = [...new Set([...(roles[line] ?? []), app ? 'app' : 'system'])]
  }
  return roles
}

/**
 * @param base a project with its sources in `src`
 * @returns by `file:line` of the tag, below the sources: name and kinds of each column; roles that must be allowed
 */
export function statementRows(base = join(root, 'apps/server')) {
  const api = new API({ cwd: root })
  const rows = {}
  const roles = {}
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(base, 'tsconfig.json')] })
    for (const project of snapshot.getProjects()) {
      const { checker } = project
      for (const name of project.rootFiles) {
        if (/\.test\.ts$/.test(name) || !name.includes('/src/')) continue
        const file = project.program.getSourceFile(name)
        if (!file || !/lib\/sql\//.test(file.text)) continue
        const lineOf = node =>
          `${relative(join(base, 'src'), name)}:${file.text.slice(0, node.getStart(file)).split('\n').length}`
        Object.assign(roles, rolesIn(file, checker, lineOf))
        const tags = []
        const visit = node => {
          const row = rowOf(node)
          if (row) tags.push({ node, row })
          node.forEachChild(visit)
        }
        visit(file)
        for (const { node, row } of tags) {
          const type = checker.getTypeAtLocation(row)
          const columns = checker
            .getPropertiesOfType(type)
            .map(property => [property.name, kindsOf(checker, checker.getTypeOfSymbol(property))])
          // A list adds where each row stands.
          if (node.expression?.text === 'listSql') columns.push(['position', ['string']])
          rows[lineOf(node)] = columns
        }
      }
    }
  } finally {
    api.close()
  }
  return { rows, roles }
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(JSON.stringify(statementRows(process.argv[2]), null, 1))
