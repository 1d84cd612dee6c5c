// The yardstick: one process, bare node:http, one prepared statement per request, JSON out; no token, no validation, no second hop.
import { createServer } from "node:http";
import pg from "pg";

const [databaseUrl] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, idleTimeoutMillis: 0 });
await pool.query(`create table if not exists contexts (id text primary key, title text, category_id text, context text,
  scope_id text, stack_order int)`);

const find = "select id, title, category_id, context, scope_id, stack_order from contexts where id = $1";
const insert = `insert into contexts (id, title, category_id, context, scope_id, stack_order) values ($1, $2, $3, $4, $5, 0) returning *`;

const server = createServer((request, response) => void answer(request, response));

server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
process.on("disconnect", () => process.exit());

async function answer(request, response) {
  try {
    const row = request.method === "POST" ? await create(request) : await get(request);
    response.writeHead(row ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(row ?? {}));
  } catch (error) {
    response.writeHead(500);
    response.end(String(error));
  }
}

async function get(request) {
  const id = request.url.slice(request.url.lastIndexOf("/") + 1);
  const { rows } = await pool.query({ name: "find", text: find, values: [id] });
  return rows[0];
}

let count = 0;

async function create(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { title, category_id, context, scope_id } = JSON.parse(Buffer.concat(chunks));
  const values = [`ctx_${process.pid}_${count++}`, title, category_id, context, scope_id];
  const { rows } = await pool.query({ name: "insert", text: insert, values });
  return rows[0];
}
