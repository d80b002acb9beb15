import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import type { LiveReads } from '../../../lib/live/live-reads.ts'

export const diagnosisKey = (id: string) => ['devices', 'diagnosis', id] as const

/** What the doctor says of a device, asked again every few seconds while it is looked at. */
export function useDiagnosis(
  id: string,
  options: { enabled?: boolean; everyMs?: number; reads?: Pick<LiveReads, 'read'> } = {},
) {
  const ask = ({ signal }: { signal: AbortSignal }) => call('diagnosis.device', { params: { id }, signal })
  return useQuery({
    queryKey: diagnosisKey(id),
    enabled: options.enabled ?? true,
    queryFn: options.reads ? options.reads.read(ask) : ask,
    refetchInterval: every(options.everyMs ?? 10_000),
  })
}
