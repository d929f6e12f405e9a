import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** The state of its only campaign that a killed process has left. */
export interface Abandoned {
  /** Whether the whole audience stands in the ledger. */
  readonly isWritten: boolean
  /** How much of it does. */
  readonly rows: number
  /** The addresses of the mails it had claimed: those in flight are among them. */
  readonly inWork: readonly string[]
}

/** Looks into the database of a server that is dead and leaves it as it is; paths start at `folder`. */
export async function abandonedIn(
  { use, options }: { readonly use: string; readonly options: { readonly file?: string; readonly url?: string } },
  folder: string,
): Promise<Abandoned> {
  const { file = '', url = '' } = options
  const rows = use === 'sqlite' ? askFile(join(folder, file)) : await askServer(url)
  return {
    isWritten: String(rows[0]?.done) === 'true' || String(rows[0]?.done) === '1',
    rows: Number(rows[0]?.rows),
    inWork: rows.map(({ to }) => String(to)).filter((to) => to !== 'null'),
  }
}

const SQL = `select c.fan_out ->> 'done' as "done", (select count(*) from emails as e where e.campaign_id = c.id) as "rows",
  e."to" from campaigns as c left join emails as e on e.campaign_id = c.id and e.status = 'SENDING'`

type Row = Readonly<Record<string, unknown>>

/** To open the file would tidy up behind the dead: a copy is looked into. */
function askFile(file: string): readonly Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-copy-'))
  try {
    const copy = join(folder, 'copy.db')
    for (const part of ['', '-wal']) if (existsSync(file + part)) cpSync(file + part, copy + part)
    const database = new DatabaseSync(copy)
    const rows = database.prepare(SQL).all()
    database.close()
    return rows
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function askServer(url: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(SQL)).rows
  } finally {
    await client.end()
  }
}
