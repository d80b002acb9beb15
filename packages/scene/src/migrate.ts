import { SCENE_VERSION } from './scene.ts'

type Document = Record<string, unknown>
/** Makes of a document one of the next version. */
export type Step = (document: Document) => Document

/** From version 1 to 2, from 2 to 3, … A change of the document's shape adds one, and a document that shows it to the tests. */
const STEPS: readonly Step[] = []

/** Why a document cannot be raised: it is of a later version than this program knows, or says none. */
export type MigrationFault = { code: 'later'; version: number } | { code: 'unknown' }

/** A document of any version as one of the version after the last step; what it holds is not looked at. */
export function raised(document: Document, steps = STEPS): { document: Document } | MigrationFault {
  const version = document.v
  const latest = steps.length + 1
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return { code: 'unknown' }
  if (version > latest) return { code: 'later', version }
  const done = steps.slice(version - 1).reduce((before, step) => step(before), document)
  return { document: { ...done, v: latest } }
}

if (SCENE_VERSION !== STEPS.length + 1) throw new Error('each version of the scene needs its step')
