namespace Loxo.Fortunes;

/// <summary>The rows of TechEmpower's Fortunes test, in the database and in memory.</summary>
internal static class FortuneData
{
    public const string Query = "SELECT id, message FROM techempower.fortune";

    /// <summary>The row that each request adds.</summary>
    public const string Added = "Additional fortune added at request time.";

    /// <summary>The rows of the table; the first one's id is 1.</summary>
    public static readonly string[] Messages =
    [
        "fortune: No such file or directory",
        "A computer scientist is someone who fixes things that aren't broken.",
        "After enough decimal places, nobody gives a damn.",
        "A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1",
        "A computer program does what you tell it to do, not what you want it to do.",
        "Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen",
        "Any program that runs right is obsolete.",
        "A list is only as strong as its weakest link. — Donald Knuth",
        "Feature: A bug with seniority.",
        "Computers make very fast, very accurate mistakes.",
        "<script>alert(\"This should not be displayed in a browser alert box.\");</script>",
        "フレームワークのベンチマーク",
    ];

    /// <summary>The statements that create the table.</summary>
    public static readonly string[] Create =
    [
        "CREATE SCHEMA techempower",
        "CREATE TABLE techempower.fortune (id int4 PRIMARY KEY, message text NOT NULL)",
        .. Messages.Select((message, index) => $"INSERT INTO techempower.fortune VALUES ({index + 1}, '{message.Replace("'", "''")}')"),
        "ANALYZE techempower.fortune",
    ];
}
