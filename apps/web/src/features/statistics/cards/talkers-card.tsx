import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import type { HomeCardProps } from '../../../lib/home-cards.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { saveFile, toCsv } from '../../../ui/list-page/csv.ts'
import { useTalkers } from '../hooks.ts'
import css from '../statistics.module.css'

const HEIGHT = 200
/** As many as stand beside a chart; the file has all. */
const ROWS = 6

/** Devices that sent most, with what they sent; the table can be taken along. */
export function TalkersCard({ span }: HomeCardProps) {
  const { t } = useTranslation('statistics')
  const read = useTalkers(span)
  const items = read.data?.items ?? []
  return (
    <HomeCardFrame
      title={t('talkers.title')}
      note={t('talkers.note')}
      tools={
        items.length > 0 && (
          <Button
            type="link"
            size="small"
            onClick={() =>
              saveFile(
                `${t('talkers.file')}.csv`,
                [
                  toCsv(
                    [t('talkers.device'), t('talkers.deviceNo'), t('talkers.messages')],
                    items.map(item => [item.name, item.deviceNo, item.messages]),
                  ),
                ],
                'text/csv;charset=utf-8',
              )
            }
          >
            {t('export')}
          </Button>
        )
      }
      of="statistics.talkers"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.items.length === 0}
      empty={t('talkers.empty')}
    >
      {data => (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('talkers.device')}</th>
              <th scope="col">{t('talkers.messages')}</th>
            </tr>
          </thead>
          <tbody>
            {data.items.slice(0, ROWS).map(item => (
              <tr key={item.deviceId}>
                <td title={`${item.name} ${item.deviceNo}`}>
                  <Link to={`/manage/device/DeviceSet/DeviceCenter?id=${item.deviceId}`}>{item.name}</Link>{' '}
                  <small>{item.deviceNo}</small>
                </td>
                <td>{formatNumber(item.messages)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </HomeCardFrame>
  )
}
