import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api-client.ts'

/** Addresses, user name and topics of one device. */
export function useAccess(deviceId: string) {
  return useQuery({
    queryKey: ['devices', 'access', deviceId],
    queryFn: ({ signal }) => call('devices.access', { params: { id: deviceId }, signal }),
    staleTime: 60_000,
  })
}
