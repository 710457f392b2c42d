using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgDataReaderTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Values_are_read_between_Read_and_the_end_of_the_row_only()
    {
        await using var reader = await Reader(Answer.Select(7));
        Assert.That((reader.HasRows, reader.IsOnRow, reader.FieldCount, reader.Depth), Is.EqualTo((true, false, 1, 0)));
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.IsOnRow, reader.GetInt32(0), reader["value"], reader["VALUE"]), Is.EqualTo((true, 7, (object)7, (object)7)));
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That((reader.HasRows, reader.IsOnRow), Is.EqualTo((true, false)));
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That((reader.GetName(0), reader.GetFieldType(0), reader.GetOrdinal("value")), Is.EqualTo(("value", typeof(int), 0)));
    }

    [Test]
    public async Task A_column_that_is_not_there_is_refused_and_the_row_stays()
    {
        await using var reader = await Reader(Answer.Select(7));
        await Mode.Read(reader);
        Assert.Throws<IndexOutOfRangeException>(() => reader.GetInt32(1));
        Assert.Throws<IndexOutOfRangeException>(() => reader.GetInt32(-1));
        Assert.Throws<IndexOutOfRangeException>(() => reader.GetOrdinal("other"));
        Assert.Throws<InvalidCastException>(() => reader.GetGuid(0));
        Assert.That(reader.GetInt32(0), Is.EqualTo(7));
    }

    [Test]
    public async Task A_NULL_is_DBNull_or_null_and_an_error_for_a_type_without_null()
    {
        await using var reader = await Reader(new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow([null])
            .CommandComplete("SELECT 1").ReadyForQuery());
        await Mode.Read(reader);
        Assert.That((reader.IsDBNull(0), reader.GetValue(0), reader.GetFieldValue<int?>(0)), Is.EqualTo((true, (object)DBNull.Value, (int?)null)));
        Assert.Throws<InvalidCastException>(() => reader.GetInt32(0));
    }

    [Test]
    public async Task Results_follow_each_other_and_statements_without_one_are_passed_over()
    {
        await using var reader = await Reader(
            new Answer().Result(1, 2).Command("UPDATE 3").Result().Command("DELETE 4").ReadyForQuery(), "SELECT; UPDATE; SELECT; DELETE");
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.NextResult(reader), Is.True, "the row left unread is skipped");
        Assert.That((reader.HasRows, reader.FieldCount), Is.EqualTo((false, 1)));
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(reader.RecordsAffected, Is.EqualTo(3));
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That((reader.RecordsAffected, reader.FieldCount), Is.EqualTo((7, 0)));
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(reader.GetSchemaTable(), Is.Null);
    }

    [Test]
    public async Task More_changed_rows_than_an_int_holds_overflow_only_where_an_int_is_asked_for()
    {
        await using var reader = await Reader(new Answer().Command("UPDATE 2147483647").Command("DELETE 1").ReadyForQuery(), "UPDATE; DELETE");
        Assert.That(reader.Statements.Select(statement => statement.Rows), Is.EqualTo(new[] { 2147483647ul, 1ul }));
        Assert.Throws<OverflowException>(() => _ = reader.RecordsAffected);
        await Mode.Close(reader);
        Assert.Throws<OverflowException>(() => _ = reader.RecordsAffected);
    }

    [Test]
    public async Task Rows_changed_are_told_after_the_reader_was_closed()
    {
        var reader = await Reader(new Answer().Command("INSERT 0 5").ReadyForQuery());
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(5));
    }

    [Test]
    public async Task A_closed_reader_tells_so_once_and_nothing_else()
    {
        var reader = await Reader(Answer.Select(1, 2));
        var closed = 0;
        reader.ReaderClosed += (_, _) => closed++;
        await Mode.Read(reader);
        await Mode.Close(reader);
        await Mode.Close(reader);
        await Catch<InvalidOperationException>(() => Mode.Read(reader));
        await Catch<InvalidOperationException>(() => Mode.NextResult(reader));
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.Throws<InvalidOperationException>(() => _ = reader.FieldCount);
        await Mode.Dispose(reader);
        Assert.That((reader.IsClosed, closed), Is.EqualTo((true, 1)));
        await Catch<ObjectDisposedException>(() => Mode.Read(reader));
    }

    [Test]
    public async Task A_connection_is_closed_with_the_reader_where_that_was_asked_for()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1).Bytes);
            server.Expect<Terminate>();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Command(), CommandBehavior.CloseConnection);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        await Mode.Close(reader);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_reader_of_an_earlier_command_reads_nothing_of_a_later_one()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1).Bytes);
            server.ExpectCommand();
            server.Write(Answer.Select(2).Bytes);
        });
        await Open();
        var command = Command();
        var first = await Mode.ExecuteReader(command);
        await Mode.Close(first);
        await using var second = await Mode.ExecuteReader(command);
        await Catch<InvalidOperationException>(() => Mode.Read(first));
        await Mode.Close(first);
        Assert.That(await Mode.Read(second), Is.True);
        Assert.That(second.GetInt32(0), Is.EqualTo(2));
    }

    [Test]
    public async Task The_schema_has_a_row_for_each_column()
    {
        await using var reader = await Reader(new Answer().ParseComplete().BindComplete().RowDescription(("id", 23), ("name", 25))
            .CommandComplete("SELECT 0").ReadyForQuery());
        var columns = reader.GetColumnSchema();
        Assert.That(columns.Select(column => (column.ColumnName, column.ColumnOrdinal, column.DataType, column.DataTypeName)),
            Is.EqualTo(new[] { ("id", (int?)0, typeof(int), "integer"), ("name", 1, typeof(string), "text") }));
        Assert.That(await reader.GetColumnSchemaAsync(), Has.Count.EqualTo(2));
        Assert.That(reader.GetSchemaTable()!.Rows.Cast<DataRow>().Select(row => row["ColumnName"]), Is.EqualTo(new[] { "id", "name" }));
    }

    private async Task<PgDataReader> Reader(Answer answer, string sql = "SELECT 1")
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < sql.Split(';').Length; i++)
                server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(answer.Bytes);
        });
        await Open();
        return await Mode.ExecuteReader(Command(sql));
    }
}
