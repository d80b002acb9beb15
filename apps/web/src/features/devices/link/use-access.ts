import { useRead } from '../../../lib/server-state/use-read.ts'

/** Addresses, user name and topics of one device. */
export function useAccess(deviceId: string) {
  return useRead('devices.access', { params: { id: deviceId } }, { staleTime: 60_000 })
}
