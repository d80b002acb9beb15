import { DIAGNOSIS_STEPS, type Diagnosis, type DiagnosisStep } from '@thingwright/contracts/diagnosis.contract'
import { portStep, signInStep } from './connection-steps.ts'
import type { Facts, Found, Step } from './facts.ts'
import { framesStep, modelStep, parsingStep } from './message-steps.ts'
import { commandsStep, storageStep } from './platform-steps.ts'
import { alarmsStep } from './watch-step.ts'

const LOOK: Record<(typeof DIAGNOSIS_STEPS)[number], (facts: Facts) => Step> = {
  port: portStep,
  sign_in: signInStep,
  frames: framesStep,
  parsing: parsingStep,
  model: modelStep,
  storage: storageStep,
  commands: commandsStep,
  alarms: alarmsStep,
}

/**
 * Walks the way of a message from the port to its place in the history, and names the first step at which it ends. Pure:
 * the same facts have the same answer.
 */
export function diagnose(facts: Facts): Diagnosis {
  let ended = false
  const steps = DIAGNOSIS_STEPS.map((step): DiagnosisStep => {
    const { facts: shown, found, passed } = LOOK[step](facts)
    const broken = found.some(({ severity }) => severity === 'broken')
    // Behind a broken step nothing is known to be well; what is known to be wrong there is told all the same.
    const state = broken ? 'broken' : found.length > 0 ? 'warning' : passed && !ended ? 'ok' : 'unknown'
    ended ||= broken
    return { step, state, facts: shown, findings: inOrder(found).map(toFinding) }
  })
  const broken = steps.find(({ state }) => state === 'broken')
  const named = broken ?? steps.find(({ state }) => state === 'warning') ?? null
  // The device never connected. That is no fault while it is being set up, but it is the first step to mend.
  const waiting = named?.findings[0]?.cause === 'never_connected'
  return {
    at: new Date(facts.now).toISOString(),
    verdict: waiting
      ? 'waiting'
      : broken
        ? 'broken'
        : named
          ? 'warning'
          : steps.some(s => s.state === 'ok')
            ? 'healthy'
            : 'waiting',
    step: named?.step ?? null,
    cause: named?.findings[0]?.cause ?? null,
    steps,
  }
}

function inOrder(found: readonly Found[]): Found[] {
  return [
    ...found.filter(({ severity }) => severity === 'broken'),
    ...found.filter(({ severity }) => severity === 'warning'),
  ]
}

function toFinding({ cause, severity, at, params, raw, fixes }: Found): DiagnosisStep['findings'][number] {
  return {
    cause,
    severity,
    at: at === null ? null : new Date(at).toISOString(),
    params,
    hex: raw?.toString('hex') ?? null,
    fixes,
  }
}
