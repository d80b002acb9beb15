import { every } from '../../../lib/every.ts'
import type { LiveReads } from '../../../lib/live/live-reads.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** What the doctor says of a device, asked again every few seconds while it is looked at. */
export function useDiagnosis(
  id: string,
  options: { enabled?: boolean; everyMs?: number; reads?: Pick<LiveReads, 'read'> } = {},
) {
  return useRead(
    'diagnosis.device',
    { params: { id } },
    {
      enabled: options.enabled ?? true,
      through: options.reads?.read,
      refetchInterval: every(options.everyMs ?? 10_000),
    },
  )
}
