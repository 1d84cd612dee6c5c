import type { Sql } from "@assistant/kit/database/postgres.js";
import { one } from "./one.js";

export interface RefreshTokenRow {
  hash: Buffer;
  session_id: string;
  /** Counts the tokens of a session, from 1. */
  generation: number;
  used_at: Date | null;
  /** Who used it. */
  client_hash: Buffer | null;
  /** What it was exchanged for, as long as it may be asked for again. */
  successor_sealed: Buffer | null;
}

export interface NewRefreshToken {
  hash: Buffer;
  sessionId: string;
  generation: number;
}

export async function insertRefreshToken(tx: Sql, { hash, sessionId, generation }: NewRefreshToken): Promise<void> {
  await tx.query("refresh_tokens_insert", inserting, [hash, sessionId, generation]);
}

/** Whoever decides by what it says holds the session before. */
export async function findRefreshToken(sql: Sql, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  return (await sql.query<RefreshTokenRow>("refresh_tokens_find", finding, [hash]))[0];
}

/** The token after this one of a session, if it has not been used. */
export async function hasUnusedSuccessor(tx: Sql, { session_id, generation }: RefreshTokenRow): Promise<boolean> {
  return (await tx.query("refresh_tokens_find_unused", findingUnused, [session_id, generation + 1])).length > 0;
}

export interface RefreshTokenUse {
  hash: Buffer;
  usedAt: Date;
  clientHash: Buffer;
  successorSealed: Buffer;
}

/** Uses a token up. From then on nobody may ask for the successor of the one before. */
export async function useRefreshToken(tx: Sql, use: RefreshTokenUse): Promise<void> {
  const { hash, usedAt, clientHash, successorSealed } = use;
  one(await tx.query("refresh_tokens_use", using, [hash, usedAt, clientHash, successorSealed]));
}

/** Forgets the successors of some tokens that were used before a time; answers of how many. */
export async function forgetSuccessorsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("refresh_tokens_forget", forgetting, [time, limit])).length;
}

const columns = "hash, session_id, generation, used_at, client_hash, successor_sealed";
const inserting = "insert into refresh_tokens (hash, session_id, generation) values ($1, $2, $3)";
const finding = `select ${columns} from refresh_tokens where hash = $1`;
const findingUnused = `
  select from refresh_tokens where session_id = $1 and generation = $2 and used_at is null`;

const using = `
  with used as (
    update refresh_tokens set used_at = $2, client_hash = $3, successor_sealed = $4
    where hash = $1 and used_at is null returning session_id, generation),
  forgotten as (
    update refresh_tokens set successor_sealed = null from used
    where refresh_tokens.session_id = used.session_id and refresh_tokens.generation = used.generation - 1)
  select generation from used`;

const forgetting = `
  update refresh_tokens set successor_sealed = null where hash in (
    select hash from refresh_tokens where used_at < $1 and successor_sealed is not null
    order by used_at limit $2 for update skip locked)
  returning hash`;
