-- What each connection sends: nearly always a search, sometimes a write, now and then a look at
-- what there is. Ids repeat, so that documents are replaced and the index does not grow.

local IDS = 20000
local words = {}
for word in io.lines(os.getenv("LOAD_WORDS")) do words[#words + 1] = word end

local headers = {
  ["Content-Type"] = "application/json",
  ["Authorization"] = "Bearer " .. os.getenv("LOAD_KEY"),
}
local seeds = 0
local threads = {}

function setup(thread)
  seeds = seeds + 1
  thread:set("seed", seeds)
  threads[#threads + 1] = thread
end

function init()
  math.randomseed(seed * 7919)
  statuses = {}
end

local function word() return words[math.random(#words)] end

local function post(path, body) return wrk.format("POST", path, headers, body) end

local function document()
  return string.format('{"id":%d,"title":"%s %s","text":"%s %s %s %s","pages":%d,"genre":"%s"}',
    math.random(IDS), word(), word(), word(), word(), word(), word(), math.random(900), word())
end

local writes = {
  function()
    local documents = {}
    for i = 1, math.random(20) do documents[i] = document() end
    return post("/indexes/books/documents", "[" .. table.concat(documents, ",") .. "]")
  end,
  function()
    return wrk.format("PUT", "/indexes/books/documents", headers,
      string.format('[{"id":%d,"pages":%d}]', math.random(IDS), math.random(900)))
  end,
  function()
    return post("/indexes/books/documents/delete-batch",
      string.format("[%d,%d]", math.random(IDS), math.random(IDS)))
  end,
}

local looks = {
  function() return wrk.format("GET", "/tasks?limit=5", headers) end,
  function() return wrk.format("GET", "/stats", headers) end,
  function() return wrk.format("GET", "/indexes/books/settings", headers) end,
  function() return wrk.format("GET", "/metrics", headers) end,
  -- One that is refused: errors must not leak anything either.
  function() return post("/indexes/books/search", '{"q":"a","filter":"unknown = 1"}') end,
  function() return post("/indexes/books/documents/fetch", '{"limit":10,"filter":"pages > 500"}') end,
}

local searches = {
  function() return string.format('{"q":"%s"}', word()) end,
  function() return string.format('{"q":"%s %s"}', word(), word():sub(1, 3)) end,
  function()
    return string.format('{"q":"%s","filter":"pages > %d AND genre != %s"}', word():sub(1, -2),
      math.random(900), word())
  end,
  function() return string.format('{"q":"%s","facets":["genre"],"sort":["pages:desc"]}', word()) end,
  function()
    return string.format('{"q":"%s","attributesToHighlight":["*"],"showRankingScore":true}', word())
  end,
}

function request()
  local choice = math.random(100)
  if choice <= 5 then return writes[math.random(#writes)]() end
  if choice <= 7 then return looks[math.random(#looks)]() end
  if choice <= 10 then
    return post("/multi-search", string.format(
      '{"queries":[{"indexUid":"books","q":"%s"},{"indexUid":"books","q":"%s"}]}', word(), word()))
  end
  return post("/indexes/books/search", searches[math.random(#searches)]())
end

function response(status) statuses[status] = (statuses[status] or 0) + 1 end

function done(summary, latency)
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do
      print(string.format("status %d %d", status, count))
    end
  end
  print(string.format("requests %d", summary.requests))
  print(string.format("socket_errors %d", summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout))
  for _, share in ipairs({ 50, 95, 99 }) do
    print(string.format("latency_ms_p%d %.2f", share, latency:percentile(share) / 1000))
  end
end
