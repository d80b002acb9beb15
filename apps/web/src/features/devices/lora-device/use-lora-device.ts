import { useRead } from '../../../lib/server-state/use-read.ts'

const REFRESH_MS = 10_000

/** The device as ChirpStack and we know it. */
export const useLoraDevice = (deviceId: string) =>
  useRead('loraLinks.device', { params: { id: deviceId } }, { refetchInterval: REFRESH_MS })
