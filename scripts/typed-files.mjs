// Gates that ask for types share one reading of the programs: each is shown every file with its checker.
import { join, relative } from 'node:path'
import { API } from 'typescript-native/unstable/sync'
import { root } from './lib.mjs'

const PROJECTS = ['packages/contracts', 'packages/thing-model', 'packages/rules', 'packages/schedules']
  .concat(['packages/device-sdk', 'apps/server', 'apps/web', 'tools', 'e2e'])
  .map(project => join(root, project))

/**
 * Shows gates every source of some projects.
 * @param gates each with a name and `look({ file, name, checker, problem })`, which tells how many places it looked at
 * @param {string[]} given folders of projects; none: those of the repository
 * @returns {{ name: string, problems: string[], places: number }[]} of each gate lines `file:line: what is wrong`
 */
export function lookThrough(gates, given = []) {
  const [folders, base] = given.length > 0 ? [given, given[0]] : [PROJECTS, root]
  const found = gates.map(({ name }) => ({ name, problems: new Set(), places: 0 }))
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: folders.map(folder => join(folder, 'tsconfig.json')) })
    for (const { checker, program, rootFiles } of snapshot.getProjects())
      for (const name of rootFiles) {
        const file = /\.tsx?$/.test(name) && program.getSourceFile(name)
        if (!file) continue
        for (const [at, gate] of gates.entries()) {
          const problem = (node, text) => {
            const line = file.text.slice(0, node.getStart(file)).split('\n').length
            found[at].problems.add(`${relative(base, name)}:${line}: ${text}`)
          }
          found[at].places += gate.look({ file, name, checker, problem })
        }
      }
  } finally {
    api.close()
  }
  return found.map(each => ({ ...each, problems: [...each.problems].sort() }))
}

/** The compiler's interface cannot hand out a union with a tuple in it: then its text says whether a promise is there. */
export function membersOf(checker, type) {
  try {
    return type.getTypes()
  } catch {
    return /\bPromise</.test(checker.typeToString(type)) ? ['promise'] : []
  }
}

/**
 * Prints what gates found.
 * @returns {number} the exit code
 */
export function printed(found) {
  const lines = found.flatMap(({ problems }) => problems)
  for (const line of lines) process.stdout.write(`${line}\n`)
  return lines.length > 0 ? 1 : 0
}
