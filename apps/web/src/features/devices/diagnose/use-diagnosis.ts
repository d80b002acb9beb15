import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'

export const diagnosisKey = (id: string) => ['devices', 'diagnosis', id] as const

/** What the doctor says of a device, asked again every few seconds while it is looked at. */
export function useDiagnosis(id: string, options: { enabled?: boolean; everyMs?: number } = {}) {
  return useQuery({
    queryKey: diagnosisKey(id),
    enabled: options.enabled ?? true,
    queryFn: ({ signal }) => call('diagnosis.device', { params: { id }, signal }),
    refetchInterval: every(options.everyMs ?? 10_000),
  })
}
