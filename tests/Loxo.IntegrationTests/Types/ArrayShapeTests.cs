using System.Collections.Immutable;
using Npgsql;
using NpgsqlTypes;

namespace Loxo.IntegrationTests.Types;

/// <summary>Arrays in every shape that .NET and the server have in common.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ArrayShapeTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string TwoByTwo = "'{{1,2},{3,4}}'::int[]";

    [Test]
    public async Task Several_dimensions_go_both_ways()
    {
        await using var reader = await Row($"SELECT {TwoByTwo}, $1, $1::text, pg_typeof($1)::text, $1[2][1]", new PgParameter { Value = new[,] { { 1, 2 }, { 3, 4 } } });
        foreach (var ordinal in new[] { 0, 1 })
        {
            Assert.That(reader.GetFieldValue<int[,]>(ordinal), Is.EqualTo(new[,] { { 1, 2 }, { 3, 4 } }));
            Assert.That(reader.GetValue(ordinal), Is.TypeOf<int[,]>());
            Assert.That(reader.GetFieldValue<long?[,]>(ordinal), Is.EqualTo(new long?[,] { { 1, 2 }, { 3, 4 } }));
            Assert.That(() => reader.GetFieldValue<int[]>(ordinal), Throws.InstanceOf<InvalidCastException>().With.Message.Contains("Read it as int[,]"));
        }
        Assert.That((reader.GetString(2), reader.GetString(3), reader.GetInt32(4)), Is.EqualTo(("{{1,2},{3,4}}", "integer[]", 3)));
    }

    [Test]
    public async Task An_immutable_array_needs_no_type()
    {
        await using var reader = await Row("SELECT pg_typeof($1)::text || $1::text, pg_typeof($2)::text || $2::text",
            new PgParameter { Value = ImmutableArray.Create(1, 2) }, new PgParameter<ImmutableArray<string>>(["a", "b"]));

        Assert.That((reader.GetString(0), reader.GetString(1)), Is.EqualTo(("integer[]{1,2}", "text[]{a,b}")));
    }

    [Test]
    public async Task Six_dimensions_with_NULL_go_both_ways()
    {
        var value = new string?[1, 2, 1, 2, 1, 1];
        value[0, 1, 0, 1, 0, 0] = "it's, \"quoted\"";
        await using var reader = await Row("SELECT $1, array_ndims($1), $1[1][2][1][2][1][1]", new PgParameter { Value = value });
        Assert.That(reader.GetFieldValue<string?[,,,,,]>(0), Is.EqualTo(value));
        Assert.That((reader.GetInt32(1), reader.GetString(2)), Is.EqualTo((6, "it's, \"quoted\"")));
    }

    [TestCase("[0:1]={1,2}", 1)]
    [TestCase("[5:6]={1,2}", 1)]
    [TestCase("[-1:0][3:3]={{1},{2}}", 2)]
    [TestCase("{1,2}", 1)]
    public async Task An_array_from_another_index_comes_back_as_it_was(string text, int rank)
    {
        await using var first = await Row($"SELECT '{text}'::int[], array_lower('{text}'::int[], 1)");
        var array = first.GetFieldValue<Array>(0);
        Assert.That((array.Rank, array.GetLowerBound(0)), Is.EqualTo((rank, first.GetInt32(1) - 1)));
        await Mode.Dispose(first);
        await using var second = await Row("SELECT $1::text, $1", new PgParameter { Value = array, PgDbType = PgDbType.Array | PgDbType.Integer });
        Assert.That(second.GetString(0), Is.EqualTo(text));
        if (rank == 1)
            Assert.That(second.GetFieldValue<int[]>(1), Is.EqualTo(new[] { 1, 2 }));
    }

    [Test]
    public async Task Text_format_keeps_dimensions_and_indexes()
    {
        await using var reader = await Row("SELECT '[-1:0][3:3]={{1},{NULL}}'::int[], '[-1:0][3:3]={{1},{2}}'::int[]", asText: true);
        Assert.That(reader.GetFieldValue<int?[,]>(0), Is.EqualTo(new int?[,] { { 1 }, { null } }));
        Assert.That(reader.GetFieldValue<Array>(1).GetLowerBound(1), Is.EqualTo(2));
    }

    [Test]
    public async Task An_empty_array_has_any_shape()
    {
        await using var reader = await Row("SELECT '{}'::int[], $1, $1 = '{}'", new PgParameter<int[,]>(new int[0, 5]));
        Assert.That(reader.GetFieldValue<int[,]>(0), Is.Empty);
        Assert.That(reader.GetFieldValue<int[]>(1), Is.Empty);
        Assert.That(reader.GetValue(0), Is.TypeOf<int[]>());
        Assert.That(reader.GetBoolean(2), Is.True);
    }

    [Test]
    public async Task Sequences_and_pieces_of_memory_are_parameters()
    {
        foreach (var value in new object[]
        {
            Enumerable.Range(1, 3), new HashSet<int> { 1, 2, 3 }, new Queue<int>([1, 2, 3]), new ReadOnlyMemory<int>([0, 1, 2, 3], 1, 3), new ArraySegment<int>([1, 2, 3]),
            new System.Collections.ObjectModel.ReadOnlyCollection<int>([1, 2, 3]),
        })
        {
            await using var reader = await Row("SELECT $1, 2 = ANY($1)", new PgParameter { Value = value });
            Assert.That(reader.GetFieldValue<int[]>(0), Is.EqualTo(new[] { 1, 2, 3 }), value.GetType().ToString());
            Assert.That(reader.GetFieldValue<IReadOnlyList<int>>(0), Is.EqualTo(new[] { 1, 2, 3 }));
            Assert.That(reader.GetFieldValue<ReadOnlyMemory<int>>(0).ToArray(), Is.EqualTo(new[] { 1, 2, 3 }));
            Assert.That(reader.GetBoolean(1), Is.True);
        }
    }

    [Test]
    public async Task An_interface_that_can_be_added_to_is_read_as_a_list_as_with_Npgsql([Values] bool asText)
    {
        await using var reader = await Row("SELECT ARRAY[1, 2], ARRAY['a', NULL], ARRAY[1, NULL], '{}'::int[], ARRAY[int4range(1, 2)]", asText);
        await using var connection = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand("SELECT ARRAY[1, 2], ARRAY['a', NULL], ARRAY[1, NULL], '{}'::int[], ARRAY[int4range(1, 2)]", connection);
        await using var peer = await command.ExecuteReaderAsync();
        await peer.ReadAsync();

        Check(reader.GetFieldValue<IList<int>>(0), peer.GetFieldValue<IList<int>>(0));
        Check(reader.GetFieldValue<IList<long>>(0), peer.GetFieldValue<IList<long>>(0));
        Check(reader.GetFieldValue<IList<string?>>(1), peer.GetFieldValue<IList<string?>>(1));
        Check(reader.GetFieldValue<IList<int?>>(2), peer.GetFieldValue<IList<int?>>(2));
        Check(reader.GetFieldValue<IList<int>>(3), peer.GetFieldValue<IList<int>>(3));
        Assert.That(reader.GetFieldValue<IList<PgRange<int>>>(4).GetType().Name, Is.EqualTo(peer.GetFieldValue<IList<NpgsqlRange<int>>>(4).GetType().Name));
        Assert.That(() => reader.GetFieldValue<IList<int>>(2), Throws.InstanceOf<InvalidCastException>());
        Assert.That(() => peer.GetFieldValue<IList<int>>(2), Throws.InstanceOf<InvalidCastException>());

        // Npgsql refuses the other interfaces.
        Assert.That(() => peer.GetFieldValue<ICollection<int>>(0), Throws.InstanceOf<InvalidCastException>());
        Assert.That(() => peer.GetFieldValue<IReadOnlyList<int>>(0), Throws.InstanceOf<InvalidCastException>());
        var collection = reader.GetFieldValue<ICollection<int>>(0);
        collection.Add(3);
        Assert.That(collection, Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(reader.GetFieldValue<IReadOnlyList<int>>(0), Is.EqualTo(new[] { 1, 2 }));

        static void Check<T>(IList<T> ours, IList<T> theirs)
        {
            Assert.That(ours.GetType(), Is.EqualTo(theirs.GetType()));
            ours.Add(default!);
            theirs.Add(default!);
            Assert.That(ours, Is.EqualTo(theirs));
        }
    }

    [Test]
    public async Task A_large_array_goes_both_ways()
    {
        var numbers = Enumerable.Range(0, 200_000).ToArray();
        await using var reader = await Row("SELECT $1, $2, array_length($1, 1), (SELECT sum(n) FROM unnest($2) n)",
            new PgParameter<int[]>(numbers), new PgParameter<double[]>(Array.ConvertAll(numbers, number => number / 2d)));
        Assert.That(reader.GetFieldValue<int[]>(0), Is.EqualTo(numbers));
        Assert.That(reader.GetFieldValue<double[]>(1)[^1], Is.EqualTo(99_999.5));
        Assert.That((reader.GetInt32(2), reader.GetDouble(3)), Is.EqualTo((200_000, 9_999_950_000d)));
    }

    [Test]
    public void An_array_of_arrays_is_refused_with_what_to_give_instead()
    {
        foreach (var parameter in new[] { new PgParameter { Value = new[] { new[] { 1 } } }, new PgParameter { Value = new[] { new[] { 1 } }, DataTypeName = "integer[]" } })
        {
            Assert.That(async () => await Row("SELECT $1", parameter), Throws.InstanceOf<InvalidCastException>().With.Message.Contains("rectangular")
                .Or.InnerException.Message.Contains("rectangular"));
        }
    }

    private async Task<PgDataReader> Row(string sql, params PgParameter[] parameters) => await Row(sql, false, parameters);

    private async Task<PgDataReader> Row(string sql, bool asText, params PgParameter[] parameters)
    {
        var command = Command(sql, parameters);
        command.AllResultTypesAreUnknown = asText;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }
}
