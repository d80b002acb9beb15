import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../ui/panel.tsx'
import { NoPermissionState } from '../../../ui/states.tsx'
import { type FrameMode, FrameRows, FrameTools } from './frame-view.tsx'
import { useFrames } from './use-frames.ts'

/** The bytes that cross the device's connection, live. */
export function FramesPanel({ device, tools }: { device: DeviceView; tools?: ReactNode }) {
  const { t } = useTranslation('diagnose')
  const frames = useFrames(device.id)
  const [mode, setMode] = useState<FrameMode>('hex')
  if (!frames.mayRead) return <NoPermissionState of="diagnosis.frames" />
  return (
    <Panel
      title={t('frames.title')}
      hint={t('frames.hint')}
      actions={
        <>
          {tools}
          <FrameTools of={frames} mode={mode} onMode={setMode} fileName={device.deviceNo} />
        </>
      }
    >
      <FrameRows frames={frames.frames} missed={frames.missed} mode={mode} label={t('frames.title')} />
    </Panel>
  )
}
