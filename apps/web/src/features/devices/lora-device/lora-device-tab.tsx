import type { DeviceTabProps } from '../../../lib/device-tabs.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Stack } from '../../../ui/panel.tsx'
import { NoPermissionState } from '../../../ui/states.tsx'
import { LoraFacts } from './lora-facts.tsx'
import { LoraRadio } from './lora-radio.tsx'
import { LoraSession } from './lora-session.tsx'
import { LoraTraffic } from './lora-traffic.tsx'

/** How a LoRaWAN device stands at ChirpStack: its keys, how it is heard, its session and its queue. */
export function LoraDeviceTab({ deviceId }: DeviceTabProps) {
  const allowed = useMay('loraLinks.device')
  if (!allowed) return <NoPermissionState of="loraLinks.device" />
  return (
    <Stack>
      <LoraRadio deviceId={deviceId} />
      <LoraSession deviceId={deviceId} />
      <LoraTraffic deviceId={deviceId} />
      <LoraFacts deviceId={deviceId} recycled={false} />
    </Stack>
  )
}
