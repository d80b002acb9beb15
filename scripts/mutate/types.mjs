// Whether the compiler refuses a fault: what `npm run check` sees need not be seen by a test.
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../lib.mjs'
import { withFault } from './plant.mjs'

const services = new Map()

/** A compiler of a project that is told other texts than the files have. */
function serviceOf(project) {
  const known = services.get(project)
  if (known) return known
  const path = join(root, project, 'tsconfig.json')
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, ts.sys.readFile).config,
    ts.sys,
    join(root, project),
  )
  const told = new Map()
  const service = ts.createLanguageService({
    // What is only left over is no reason: the fault is what is asked about.
    getCompilationSettings: () => ({ ...options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: file => `${told.get(file)?.version ?? 0}`,
    getScriptSnapshot: file => {
      const text = told.get(file)?.text ?? ts.sys.readFile(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => join(root, project),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  })
  const made = { service, told }
  services.set(project, made)
  return made
}

let version = 0

/** @returns what the compiler says of the file that has the fault, null when it takes it */
export function refusedByTypes(fault) {
  const project = fault.file.split('/').slice(0, 2).join('/')
  const { service, told } = serviceOf(project)
  const file = join(root, fault.file)
  version += 1
  told.set(file, { version, text: withFault(fault).text })
  const [first] = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)]
  version += 1
  told.set(file, { version, text: ts.sys.readFile(file) })
  return first ? ts.flattenDiagnosticMessageText(first.messageText, ' ') : null
}
