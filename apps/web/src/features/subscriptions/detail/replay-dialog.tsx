import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Alert, Button, DatePicker, Modal } from 'antd'
import dayjs from 'dayjs'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { epochOf, formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import css from '../subscriptions.module.css'

const BACK = { '10m': 600_000, '1h': 3_600_000, '24h': 86_400_000 } as const

/** Delivers again what came since a time. */
export function ReplayDialog({ view, onClose }: { view: SubscriptionView; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const id = useId()
  const oldest = epochOf(view.replayFrom)
  const [from, setFrom] = useState<number>(() => Math.max(serverNow() - BACK['1h'], oldest ?? 0))
  const replay = useAct('subscriptions.replay', {
    always: true,
    notice: false,
    done: ({ items }) => {
      notify.success(t('replayed', { count: items, text: formatNumber(items) }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={480}
      title={t('replayTitle')}
      okText={t('replay')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: replay.pending, disabled: oldest === null }}
      onOk={() => void replay.run({ params: { id: view.id }, body: { from } })}
      onCancel={onClose}
    >
      <div className={css.column}>
        {replay.error !== null && <FormAlert error={replay.error} />}
        {oldest === null ? (
          <Alert type="info" showIcon title={t('replayNothing')} />
        ) : (
          <>
            <p className={css.text}>{t('replayText')}</p>
            <div>
              <label className={css.label} htmlFor={id}>
                {t('replayFrom')}
              </label>
              <DatePicker
                id={id}
                showTime
                allowClear={false}
                style={{ width: '100%' }}
                value={dayjs(from)}
                minDate={dayjs(oldest)}
                maxDate={dayjs()}
                onChange={moment => moment && setFrom(moment.valueOf())}
              />
              <p className={css.hint}>{t('replayOldest', { time: formatDateTime(oldest) })}</p>
            </div>
            <div className={css.row}>
              {Object.entries(BACK).map(([name, ms]) => (
                <Button key={name} size="small" onClick={() => setFrom(Math.max(serverNow() - ms, oldest))}>
                  {t(`last.${name}`)}
                </Button>
              ))}
              <Button size="small" onClick={() => setFrom(oldest)}>
                {t('last.all')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Modal>
  )
}
