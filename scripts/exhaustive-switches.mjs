// A switch over words names each of them, or says in a `default` what becomes of the rest: a word that is added later is
// found where nobody thought of it. node scripts/exhaustive-switches.mjs FOLDER ... looks at other projects.
import { SyntaxKind } from 'typescript-native/unstable/ast'
import { TypeFlags } from 'typescript-native/unstable/sync'
import { lookThrough, printed } from './typed-files.mjs'

/** The gate over switches that leave out what their value can be. */
export const exhaustiveSwitches = () => ({
  name: 'switches are exhaustive',
  look({ file, checker, problem }) {
    const switches = []
    const visit = node => {
      if (node.kind === SyntaxKind.SwitchStatement) switches.push(node)
      node.forEachChild(visit)
    }
    visit(file)
    const open = switches.filter(
      ({ caseBlock }) => !caseBlock.clauses.some(clause => clause.kind === SyntaxKind.DefaultClause),
    )
    if (open.length === 0) return switches.length
    const types = checker.getTypeAtLocation(open.map(({ expression }) => expression))
    for (const [at, node] of open.entries()) {
      const wanted = wordsOf(types[at])
      if (!wanted) continue
      const asked = node.caseBlock.clauses.map(({ expression }) => expression)
      const named = new Set((asked.length ? checker.getTypeAtLocation(asked) : []).flatMap(type => wordsOf(type) ?? []))
      const missing = wanted.filter(word => !named.has(word))
      if (missing.length > 0) problem(node, `the switch leaves out ${missing.join(', ')}; name it, or write a default`)
    }
    return switches.length
  },
})

/** What a value of the type can be, where that can be counted; else null. */
function wordsOf(type) {
  if (!type) return null
  if (type.flags & TypeFlags.Undefined) return ['undefined']
  if (type.flags & TypeFlags.Null) return ['null']
  if (type.isLiteralType()) return [JSON.stringify(type.value)]
  if (!type.isUnionType()) return null
  let members
  try {
    members = type.getTypes().map(wordsOf)
  } catch {
    return null
  }
  return members.includes(null) ? null : members.flat()
}

if (process.argv[1] === import.meta.filename)
  process.exit(printed(lookThrough([exhaustiveSwitches()], process.argv.slice(2))))
