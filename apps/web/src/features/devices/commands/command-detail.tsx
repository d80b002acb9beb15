import type { CommandView } from '@thingwright/contracts/commands.contract'
import { Drawer } from 'antd'
import { useTranslation } from 'react-i18next'
import { epochOf, formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { personName } from '../../../lib/person-name.ts'
import { HexBytes } from '../../../ui/command-kit/hex-bytes.tsx'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import shared from '../devices.module.css'
import { kindOfState, reasonOf, stepsOf } from './command-words.ts'
import css from './commands.module.css'

/** The whole way of one command, with what was sent and what came back. */
export function CommandDetail({ command, onClose }: { command: CommandView; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const { t: k } = useTranslation('command-kit')
  const began = epochOf(command.createdAt) ?? 0
  const reason = reasonOf(command, t)
  return (
    <Drawer open size={560} title={t('commandTitle')} onClose={onClose}>
      <Facts
        items={[
          {
            label: t('state'),
            value: <StatusTag kind={kindOfState(command.state)}>{t(`commandState.${command.state}`)}</StatusTag>,
          },
          { label: t('operator'), value: personName(command.operatorName) },
          { label: t('sourceWord'), value: t(`source.${command.source}`) },
          {
            label: t('attempts'),
            value: command.retries > 0 ? `${command.attempt} / ${command.retries + 1}` : String(command.attempt),
          },
          { label: k('confirmLabel'), value: k(`confirm.${command.confirm}`) },
          ...(command.template ? [{ label: k('template'), value: command.template.name }] : []),
          { label: t('timeout'), value: timeoutText(command.timeoutMs) },
          { label: t('expiresAt'), value: formatDateTime(command.expiresAt) },
          ...(command.lora
            ? [
                { label: t('loraWay.port'), value: command.lora.port ?? t('loraWay.portUsual') },
                { label: t('loraWay.confirmed'), value: t(command.lora.confirmed ? 'loraWay.yes' : 'loraWay.no') },
                {
                  label: t('loraWay.dropped'),
                  value: command.lora.expiresAt ? formatDateTime(command.lora.expiresAt) : t('loraWay.never'),
                },
              ]
            : []),
          { label: t('commandId'), value: <CopyId value={command.id} />, wide: true },
          ...(reason ? [{ label: t('reason'), value: reason, wide: true }] : []),
        ]}
      />
      <ol className={css.way}>
        {stepsOf(command).map(step => {
          const at = epochOf(step.at)
          return (
            <li key={step.key} data-done={at !== null}>
              <b>{t(`step.${step.key}`)}</b>
              <span>
                {at === null
                  ? t('notYet')
                  : `${formatDateTime(at, { millis: true })}${step.key === 'created' ? '' : ` · +${formatNumber(at - began)} ms`}`}
              </span>
            </li>
          )
        })}
      </ol>
      <h4 className={css.subTitle}>{t('sentParams')}</h4>
      <pre className={shared.jsonBox} dir="ltr">
        {JSON.stringify(command.params, null, 2)}
      </pre>
      {command.frames !== null && command.frames.length > 0 && (
        <>
          <h4 className={css.subTitle}>{k('sentBytes')}</h4>
          <HexBytes frames={command.frames} />
        </>
      )}
      {command.readBack !== null && command.state !== 'succeeded' && (
        <>
          <h4 className={css.subTitle}>{k('readBackOpen')}</h4>
          <pre className={shared.jsonBox} dir="ltr">
            {JSON.stringify(command.readBack, null, 2)}
          </pre>
        </>
      )}
      {command.reply !== null && (
        <>
          <h4 className={css.subTitle}>{t('reply')}</h4>
          <pre className={shared.jsonBox} dir="ltr">
            {JSON.stringify(command.reply, null, 2)}
          </pre>
        </>
      )}
    </Drawer>
  )
}

const MINUTE_MS = 60_000

/** Seconds as they were set; hours as hours. */
const timeoutText = (ms: number) => (ms < MINUTE_MS ? `${formatNumber(ms / 1000)} s` : formatDuration(ms))
