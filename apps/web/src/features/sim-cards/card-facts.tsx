import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Alert, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney, formatNumber } from '../../lib/format.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts } from '../../ui/panel.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { STATE_KIND, shareText, sizeText } from './hooks.ts'
import css from './sim-cards.module.css'

/** What is known of a card. */
export function CardFacts({ card }: { card: SimCardView }) {
  const { t } = useTranslation('sim-cards')
  const time = (value: string | null) => (value ? <TimeText value={value} mode="absolute" /> : '–')
  const yesNo = (value: boolean | null) => (value === null ? '–' : t(value ? 'yes' : 'no'))
  return (
    <div className={css.stack}>
      {card.syncFault && <Alert type="warning" showIcon title={t('syncFailed')} description={card.syncFault} />}
      <Facts
        items={[
          {
            label: t('state'),
            value: (
              <StatusTag kind={STATE_KIND[card.state]}>
                {t(`states.${card.state}`)}
                {card.stopReason && ` · ${t(`reasons.${card.stopReason}`)}`}
              </StatusTag>
            ),
          },
          {
            label: t('rawState'),
            value: [card.rawState, card.rawStateText].filter(Boolean).join(' ') || '–',
          },
          { label: 'ICCID', value: <CopyId value={card.iccid} /> },
          { label: t('msisdn'), value: card.msisdn ? <CopyId value={card.msisdn} /> : '–' },
          { label: t('imsi'), value: card.imsi ?? '–' },
          { label: t('imei'), value: card.imei ?? '–' },
          { label: t('boundImei'), value: card.boundImei ?? '–' },
          {
            label: t('session'),
            value:
              card.online === null ? (
                '–'
              ) : (
                <StatusTag kind={card.online ? 'online' : 'offline'}>
                  {t(`onlineIs.${card.online ? 'yes' : 'no'}`)}
                </StatusTag>
              ),
          },
          { label: t('ip'), value: card.ip || '–' },
          { label: t('apn'), value: card.apn ?? '–' },
          { label: t('dataOff'), value: yesNo(card.dataOff) },
          {
            label: t('sms'),
            value:
              card.monthSms === null
                ? yesNo(card.smsOn)
                : `${yesNo(card.smsOn)} · ${t('smsSent', { text: formatNumber(card.monthSms) })}`,
          },
          { label: t('speed'), value: card.speedKbps ? `${card.speedKbps} kbit/s` : '–' },
          { label: t('realName'), value: yesNo(card.realName) },
          {
            label: t('usage'),
            value: `${sizeText(card.monthKb)} / ${sizeText(card.planKb)}${shareText(card) ? ` (${shareText(card)})` : ''}`,
          },
          {
            label: t('shown'),
            value: t('shownIs', {
              used: sizeText(card.shown.usedKb),
              plan: sizeText(card.shown.planKb),
              rest: sizeText(card.shown.restKb),
            }),
          },
          { label: t('forecast'), value: sizeText(card.forecastKb) },
          { label: t('plan'), value: card.planName ?? '–' },
          { label: t('price'), value: card.monthFen === null ? '–' : formatMoney(card.monthFen) },
          { label: t('term'), value: card.term ? t(`terms.${card.term}`) : '–' },
          { label: t('use'), value: t(`uses.${card.use}`) },
          { label: t('form'), value: card.form ? t(`forms.${card.form}`) : '–' },
          { label: t('pool'), value: card.pool || '–' },
          {
            label: t('device'),
            value: card.deviceId ? (
              <Link to={`/manage/device/DeviceSet/DeviceCenter?id=${card.deviceId}`} dir="auto">
                {card.deviceName}
              </Link>
            ) : (
              '–'
            ),
          },
          {
            label: t('account'),
            value: (
              <>
                {card.connectionName}
                {card.simulated && <Tag className={css.tag ?? ''}>{t('simulated')}</Tag>}
              </>
            ),
          },
          { label: t('openedAt'), value: time(card.openedAt) },
          { label: t('activatedAt'), value: time(card.activatedAt) },
          { label: t('activateBy'), value: time(card.activateBy) },
          { label: t('dataUntil'), value: time(card.dataUntil) },
          { label: t('expires'), value: time(card.expiresAt) },
          { label: t('stateSince'), value: time(card.stateSince) },
          { label: t('searchable'), value: yesNo(card.searchable) },
          { label: t('synced'), value: time(card.syncedAt) },
          { label: t('tags'), value: card.tags.length > 0 ? card.tags.map(tag => <Tag key={tag}>{tag}</Tag>) : '–' },
          { label: t('remark'), value: card.remark || '–', wide: true },
        ]}
      />
    </div>
  )
}
