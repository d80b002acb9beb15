import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMay } from '../../../lib/permissions.ts'
import { LoraFacts } from './lora-facts.tsx'

/** DevEUI and keys on the page of a device's connection; nothing for other devices. */
export function LoraPanel({ device }: { device: Pick<DeviceView, 'id' | 'linkType' | 'lifecycle'> }) {
  const allowed = useMay('loraLinks.device')
  if (!allowed || device.linkType !== 'lorawan') return null
  return <LoraFacts deviceId={device.id} recycled={device.lifecycle === 'recycled'} />
}
