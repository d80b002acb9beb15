import { BellOutlined } from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { type PushState, pushState, startPush, stopPush } from '../../lib/push.ts'

/** Lets this browser, or the app installed from it, receive alarms that are pushed. @param onChange contacts are others now */
export function PushButton({ onChange }: { onChange?: () => void }) {
  const { t } = useTranslation('ui')
  const mayRegister = useMay('pushDevices.create')
  const [state, setState] = useState<PushState | null>(null)
  const [pending, setPending] = useState(false)
  useEffect(() => {
    let isHere = true
    const show = (found: PushState) => isHere && setState(found)
    if (mayRegister) pushState().then(show, () => show('unsupported'))
    return () => {
      isHere = false
    }
  }, [mayRegister])
  if (!mayRegister || state === null) return null
  const act = async () => {
    setPending(true)
    try {
      const now = await (state === 'on' ? stopPush() : startPush())
      setState(now)
      if (now === 'on') notify.success(t('push.started'))
      else if (now === 'denied') notify.error(t('push.denied'))
      onChange?.()
    } catch (error) {
      notify.error(error instanceof DOMException ? t('push.unreachable') : errorFacts(error).message)
    } finally {
      setPending(false)
    }
  }
  const isClosed = state === 'unsupported' || state === 'denied'
  return (
    <Tooltip title={isClosed ? t(`push.${state}`) : t('push.help')}>
      <Button icon={<BellOutlined aria-hidden />} loading={pending} disabled={isClosed} onClick={() => void act()}>
        {t(state === 'on' ? 'push.stop' : 'push.start')}
      </Button>
    </Tooltip>
  )
}
