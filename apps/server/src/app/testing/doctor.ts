import type { TestDatabase } from '../../db/testing.ts'
import type { DeviceAddresses } from '../../modules/devices/index.ts'
import type { DiagnosisPort, Probe } from '../../modules/diagnosis/diagnosis.port.ts'
import {
  createDiagnosisService,
  type DiagnosisDeps,
  type DiagnosisService,
} from '../../modules/diagnosis/diagnosis.service.ts'

/** The doors of an installation without raw links. */
export const PORTS: DeviceAddresses = {
  host: 'iot.example',
  mqttPort: 1883,
  mqttsPort: 8883,
  tcpPort: null,
  udpPort: null,
  coapPort: null,
  wsUrl: '',
  httpUrl: '',
}

/** The doctor beside a gateway in the same process; null: it is down. */
export function doctorOf(
  db: TestDatabase,
  gateway: { probe(probe: Probe): Promise<unknown> } | null,
  over: Partial<DiagnosisDeps> = {},
): DiagnosisService {
  const port: DiagnosisPort = {
    probe: async (probe, ask) => (gateway ? ((await gateway.probe({ probe, ...ask } as Probe)) as never) : null),
    watchFrames: () => undefined,
  }
  return createDiagnosisService({
    database: db.database,
    gateway: port,
    addresses: () => PORTS,
    behind: async () => ({ store: 12 }),
    messagesQuota: async () => null,
    passRaw: async () => undefined,
    ...over,
  })
}
