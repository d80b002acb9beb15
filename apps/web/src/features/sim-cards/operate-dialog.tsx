import type { CardAction, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { SPEEDS_KBPS } from '@thingwright/contracts/sim-cards.words'
import { Alert, Modal, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'

type Speed = NonNullable<Body<'simCards.operate'>['speedKbps']>

/** Asks before a carrier is asked to change cards, and says what came of it. */
export function OperateDialog({
  cards,
  action,
  onClose,
}: {
  cards: SimCardView[]
  action: CardAction
  onClose: () => void
}) {
  const { t } = useTranslation('sim-cards')
  const [speed, setSpeed] = useState<Speed>('512')
  const one = cards.length === 1 ? cards[0]! : null
  const many = useAct('simCards.operateMany', { always: true, notice: false })
  const single = useAct('simCards.operate', { always: true, notice: false })
  const error = many.error ?? single.error
  const rejected = many.reply?.rejected ?? []
  const submit = async () => {
    const body = { action, ...(action === 'limit' ? { speedKbps: speed } : {}) }
    if (one) {
      if ((await single.run({ params: { id: one.id }, body })) === undefined) return
      notify.success(t('queued', { count: 1, text: '1' }))
      onClose()
      return
    }
    const reply = await many.run({ body: { ids: cards.slice(0, 100).map(({ id }) => id), ...body } })
    if (reply === undefined) return
    if (reply.queued > 0) notify.success(t('queued', { count: reply.queued, text: formatNumber(reply.queued) }))
    if (reply.rejected.length === 0) onClose()
  }
  const done = many.reply !== undefined
  return (
    <Modal
      open
      width={480}
      title={t(`actions.${action}`)}
      okText={done ? t('close') : t(`actions.${action}`)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: action === 'stop' && !done, loading: many.pending || single.pending }}
      onOk={() => (done ? onClose() : void submit())}
      onCancel={onClose}
    >
      {error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(error).message} />}
      <p>
        {one
          ? t('operateOne', { iccid: one.iccid, device: one.deviceName ?? '' })
          : t('operateMany', { count: cards.length, text: formatNumber(Math.min(100, cards.length)) })}
      </p>
      {action === 'limit' && (
        <Select<Speed>
          aria-label={t('speed')}
          style={{ width: '100%' }}
          value={speed}
          onChange={setSpeed}
          options={SPEEDS_KBPS.map(value => ({
            value: String(value) as Speed,
            label: `${formatNumber(value)} kbit/s`,
          }))}
        />
      )}
      {one?.nextOperationAt && <p>{t('coolingDown', { time: formatDateTime(one.nextOperationAt) })}</p>}
      {rejected.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t('rejected', { count: rejected.length, text: formatNumber(rejected.length) })}
          description={
            <ul>
              {rejected.slice(0, 10).map(item => (
                <li key={item.id}>
                  {cards.find(({ id }) => id === item.id)?.iccid} · {item.message}
                </li>
              ))}
            </ul>
          }
        />
      )}
    </Modal>
  )
}
