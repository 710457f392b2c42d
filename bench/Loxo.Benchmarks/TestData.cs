namespace Loxo.Benchmarks;

/// <summary>The tables that all peers read, and how they ask for them.</summary>
internal static class TestData
{
    public const int Items = 10_000;
    public const int RowsRead = 1_000;
    public const int Updates = 20;
    public const int LeastQuantity = 1;

    public const string Update = "UPDATE account SET balance = balance + 1 WHERE id = $1";

    /// <summary>A table of each peer's own, which is emptied before each run of the rows.</summary>
    public const string CreateMany = "CREATE TEMP TABLE many (id int4, amount int4)";
    public const string EmptyMany = "TRUNCATE many";
    public const string InsertMany = "INSERT INTO many VALUES ($1, $2)";

    private const string Lookup = "SELECT id, amount FROM item WHERE id = $1";
    private const int Customers = 1_000;
    private const int Accounts = 1_000;

    private const string Join =
        "SELECT o.id, l.amount, p.name, n.name FROM customer c JOIN nation n ON n.id = c.nation_id JOIN purchase o ON o.customer_id = c.id"
        + " JOIN line l ON l.purchase_id = o.id JOIN product p ON p.id = l.product_id WHERE c.id = $1 AND l.quantity >= $2";

    /// <summary>Item: names of 16 characters, notes of 12 to 16. Account: pages half full, so that updates find room beside the old row.</summary>
    public static readonly string[] Create =
    [
        "CREATE TABLE item (id int4 PRIMARY KEY, name text NOT NULL, note text NOT NULL, amount int8 NOT NULL, price float8 NOT NULL)",
        $"INSERT INTO item SELECT i, 'name-' || lpad(i::text, 11, '0'), 'some note ' || i * 7, i * 3, i / 4.0 FROM generate_series(1, {Items}) i",
        "CREATE TABLE fortune (id int4 PRIMARY KEY, message text NOT NULL)",
        "INSERT INTO fortune SELECT i, 'Whoever reads this is ' || i || ' rows away from fame.' FROM generate_series(1, 12) i",
        "CREATE TABLE account (id int4 PRIMARY KEY, balance int8 NOT NULL) WITH (fillfactor = 50)",
        $"INSERT INTO account SELECT i, 0 FROM generate_series(1, {Accounts}) i",
        "CREATE TABLE nation (id int4 PRIMARY KEY, name text NOT NULL)",
        "INSERT INTO nation SELECT i, 'nation ' || i FROM generate_series(0, 24) i",
        "CREATE TABLE product (id int4 PRIMARY KEY, name text NOT NULL)",
        "INSERT INTO product SELECT i, 'product ' || i FROM generate_series(0, 499) i",
        "CREATE TABLE customer (id int4 PRIMARY KEY, nation_id int4 NOT NULL REFERENCES nation)",
        $"INSERT INTO customer SELECT i, i % 25 FROM generate_series(1, {Customers}) i",
        "CREATE TABLE purchase (id int4 PRIMARY KEY, customer_id int4 NOT NULL REFERENCES customer)",
        $"INSERT INTO purchase SELECT i, i % {Customers} + 1 FROM generate_series(1, {2 * Customers}) i",
        "CREATE TABLE line (purchase_id int4 NOT NULL REFERENCES purchase, product_id int4 NOT NULL REFERENCES product, quantity int4 NOT NULL, amount int8 NOT NULL)",
        $"INSERT INTO line SELECT i % {2 * Customers} + 1, i % 500, i % 9 + 1, i FROM generate_series(1, {4 * Customers}) i",
        "CREATE INDEX ON purchase (customer_id)",
        "CREATE INDEX ON line (purchase_id)",
        "ANALYZE",
    ];

    /// <summary>The rows of one execution.</summary>
    public static int[] ManyRows(int count) => [.. Enumerable.Range(0, count)];

    /// <summary>The text; its parameters are int4, the first is the key.</summary>
    public static string Sql(Workload workload) => workload switch
    {
        Workload.ReadRows => "SELECT id, name, note, amount, price FROM item WHERE id <= 1000 ORDER BY id",
        Workload.SelectOne => "SELECT 1",
        Workload.TwelveRows => "SELECT id, message FROM fortune",
        Workload.Join => Join,
        _ => Lookup,
    };

    public static int Parameters(Workload workload) => workload switch
    {
        Workload.Lookup or Workload.NewCommand => 1,
        Workload.Join => 2,
        _ => 0,
    };

    /// <summary>The key of the n-th execution: the same for all peers, and not in order.</summary>
    public static int Key(int n, Workload workload) => (int)((uint)n * 7919u % (workload == Workload.Join ? Customers : Items)) + 1;

    /// <summary>The n-th account of an execution that updates <see cref="Updates"/> of them.</summary>
    public static int Account(int execution, int n) => (int)((uint)(execution * Updates + n) % Accounts) + 1;
}
