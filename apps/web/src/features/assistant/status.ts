import type { AssistantStatus } from '@thingwright/contracts/assistant.contract'
import { create } from 'zustand'
import { call } from '../../lib/api-client.ts'
import { onSessionEnd, useSession } from '../../lib/session.ts'
import { readPreference, writePreference } from '../../lib/storage.ts'

/** Companies that switched the assistant off, as far as this browser knows: its button must not flash up there. */
const OFF = 'assistant.off'

/** What the server says about the assistant of the person's company; null until it has said it. */
export const useStatus = create<{ status: AssistantStatus | null }>(() => ({ status: null }))

/** Asks the server whether the assistant answers and what answers; a failure leaves things as they are. */
export async function readStatus(): Promise<void> {
  const appId = useSession.getState().token?.thingwrightAppId
  if (appId === undefined) return
  try {
    const status = await call('assistant.status')
    if (useSession.getState().token?.thingwrightAppId !== appId) return
    writePreference(OFF, status.enabled ? null : appId)
    useStatus.setState({ status })
  } catch {
    // Whoever asks a question will be told what is the matter.
  }
}

/** Whether the company is known to have switched the assistant off. */
export function isSwitchedOff(status: AssistantStatus | null, appId: string | undefined): boolean {
  return status ? !status.enabled : appId !== undefined && readPreference<string>(OFF) === appId
}

onSessionEnd(() => useStatus.setState({ status: null }))
