import type { CommandView } from '@thingwright/contracts/commands.contract'
import { Drawer } from 'antd'
import { useTranslation } from 'react-i18next'
import { epochOf, formatDateTime, formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import shared from '../devices.module.css'
import { kindOfState, stepsOf } from './command-words.ts'
import css from './commands.module.css'

/** The whole way of one command, with what was sent and what came back. */
export function CommandDetail({ command, onClose }: { command: CommandView; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const began = epochOf(command.createdAt) ?? 0
  return (
    <Drawer open size={560} title={t('commandTitle')} onClose={onClose}>
      <Facts
        items={[
          {
            label: t('state'),
            value: <StatusTag kind={kindOfState(command.state)}>{t(`commandState.${command.state}`)}</StatusTag>,
          },
          { label: t('operator'), value: command.operatorName || '–' },
          { label: t('sourceWord'), value: t(`source.${command.source}`) },
          { label: t('attempts'), value: String(command.attempt) },
          { label: t('timeout'), value: `${formatNumber(command.timeoutMs / 1000)} s` },
          { label: t('expiresAt'), value: formatDateTime(command.expiresAt) },
          { label: t('commandId'), value: <CopyId value={command.id} />, wide: true },
          ...(command.errorMessage || command.errorCode
            ? [
                {
                  label: t('reason'),
                  value: [command.errorMessage, command.errorCode && `(${command.errorCode})`]
                    .filter(Boolean)
                    .join(' '),
                  wide: true,
                },
              ]
            : []),
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
