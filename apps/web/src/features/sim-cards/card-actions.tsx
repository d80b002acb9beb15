import type { CardAction, SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Button, Space } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import css from './sim-cards.module.css'

/** What a person asks for: a change of the card at its carrier, or of what is kept here. */
export type CardAsk = CardAction | 'edit' | 'bind'

/** What may be done with a card now. */
export function CardActions({ card, onAsk }: { card: SimCardView; onAsk: (ask: CardAsk) => void }) {
  const { t } = useTranslation('sim-cards')
  const mayOperate = useMay('simCards.operate')
  const mayWrite = useMay('simCards.update')
  const sync = useAct('simCards.sync')
  return (
    <Space wrap>
      {mayOperate &&
        card.allowed.map(action => (
          <Button key={action} danger={action === 'stop'} onClick={() => onAsk(action)}>
            {t(`actions.${action}`)}
          </Button>
        ))}
      {mayWrite && (
        <>
          <Button loading={sync.pending} onClick={() => void sync.run({ params: { id: card.id } })}>
            {t('sync')}
          </Button>
          <Button onClick={() => onAsk('bind')}>{t('bind')}</Button>
          <Button onClick={() => onAsk('edit')}>{t('edit')}</Button>
        </>
      )}
      {card.nextOperationAt && (
        <span className={css.quiet}>{t('coolingDown', { time: formatDateTime(card.nextOperationAt) })}</span>
      )}
    </Space>
  )
}
