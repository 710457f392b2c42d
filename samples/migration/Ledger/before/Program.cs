using Ledger;
using Npgsql;

// A nightly job in plain ADO.NET: it books payments, each file in one transaction, and prints what the accounts look like afterwards.
if (args.Length != 1)
{
    Console.Error.WriteLine("Usage: Ledger CONNECTION_STRING");
    return 2;
}

var settings = new NpgsqlConnectionStringBuilder(args[0]) { ApplicationName = "ledger", SearchPath = "ledger" };
using var connection = new NpgsqlConnection(settings.ConnectionString);
connection.Open();
Schema.Create(connection);
try
{
    var bookings = new Bookings(connection);
    bookings.Open("rent", new DateTime(2026, 1, 1), new DateTime(2027, 1, 1), "fixed", "monthly");
    bookings.Open("wages", new DateTime(2026, 3, 1), null, "monthly");
    bookings.Open("coffee", null, null);
    bookings.Book("2026-01.csv", [new("rent", -900.00m, "January"), new("wages", 4100.50m, "January"), new("coffee", -3.2m, null)]);
    bookings.Book("2026-02.csv", [new("coffee", -2.8m, "filter"), new("travel", -60m, "no such account")]);
    bookings.Book("2026-01.csv", [new("coffee", -3.2m, "a file that was booked before")]);
    bookings.CorrectAmounts(0.1m);

    var report = new Report(connection);
    report.PrintAccounts();
    report.PrintBookings("rent", "coffee");
    report.PrintTotals();
}
finally
{
    Schema.Drop(connection);
}
return 0;
