import { Stack } from '../../../ui/panel.tsx'
import { LivePanel } from './live-panel.tsx'
import { MqttPanel } from './mqtt-panel.tsx'
import { StreamPanel } from './stream-panel.tsx'

/** Clients in the browser: nothing has to be installed to see a message arrive. */
export function ClientsTab() {
  return (
    <Stack>
      <MqttPanel />
      <LivePanel />
      <StreamPanel />
    </Stack>
  )
}
