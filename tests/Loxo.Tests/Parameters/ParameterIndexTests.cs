namespace Loxo.Tests.Parameters;

/// <summary>Searching a collection by name: an index takes over when it is large, and finds what comparing each name would find.</summary>
public class ParameterIndexTests
{
    private const int Steps = 4000;

    private static readonly string[] _names = [.. Enumerable.Range(0, 60).SelectMany(i => new[] { $"name{i}", $"NAME{i}", $"@Name{i}" })];

    [Test]
    public void The_first_parameter_of_a_name_is_found_whatever_was_done_before([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        var parameters = new PgCommand().Parameters;
        for (var step = 0; step < Steps; step++)
        {
            Change(parameters, random);
            var name = _names[random.Next(_names.Length)];

            Assert.That(parameters.IndexOf(name), Is.EqualTo(ByComparing(parameters, name)), $"step {step}: {name} of {parameters.Count}");
        }
    }

    [Test]
    public void Looking_for_each_name_before_it_is_added_finds_none()
    {
        var parameters = new PgCommand().Parameters;
        for (var i = 0; i < ushort.MaxValue; i++)
        {
            if (!parameters.Contains($"p{i}"))
                parameters.AddWithValue($"p{i}", i);
        }

        Assert.That(parameters, Has.Count.EqualTo(ushort.MaxValue));
        Assert.That(parameters.IndexOf(":P65534"), Is.EqualTo(65534));
        Assert.That(parameters["@p40000"].Value, Is.EqualTo(40000));
    }

    [Test]
    public void A_name_is_found_whatever_was_done_before_to_names_that_differ([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        var parameters = new PgCommand().Parameters;
        var added = 0;
        for (var step = 0; step < Steps; step++)
        {
            var position = random.Next(Math.Max(1, parameters.Count));
            switch (parameters.Count < 40 ? 0 : random.Next(parameters.Count < 120 ? 9 : 12))
            {
                case 4:
                    parameters[parameters[position].ParameterName].ParameterName = $"p{added++}";
                    break;
                case 5:
                    parameters[parameters[position].ParameterName] = new PgParameter($"p{added++}", 1);
                    break;
                case 6 when random.Next(50) == 0:
                    parameters[position].ParameterName = parameters[random.Next(parameters.Count)].ParameterName;
                    break;
                case >= 7:
                    parameters.RemoveAt(parameters[position].ParameterName);
                    break;
                default:
                    parameters.AddWithValue($"p{added++}", 1);
                    break;
            }
            var name = parameters[random.Next(parameters.Count)].ParameterName;
            Assert.That(parameters.IndexOf(name), Is.EqualTo(ByComparing(parameters, name)), $"step {step}: {name} of {parameters.Count}");
            Assert.That(parameters.IndexOf($"p{added + 1}"), Is.EqualTo(-1));
        }
    }

    // Each building allocates memory for all names, and nothing else does.
    [TestCase("rename", 2)]
    [TestCase("replace", 3)]
    [TestCase("remove the first", 100)]
    [TestCase("remove the last", 2)]
    [TestCase("remove any", 100)]
    public void The_index_is_built_seldom(string what, int most)
    {
        const int Count = 20_000;
        var parameters = new PgCommand().Parameters;
        var names = Enumerable.Range(0, Count).Select(i => $"p{i}").ToArray();
        var others = Enumerable.Range(0, Count).Select(i => new PgParameter($"r{i}", 1)).ToArray();
        foreach (var name in names)
            parameters.AddWithValue(name, 1);
        if (what == "remove the last")
            Array.Reverse(names);
        else if (what == "remove any")
            new Random(1).Shuffle(names);
        var building = Allocated(() => parameters.IndexOf("p0"));

        var changing = Allocated(() =>
        {
            for (var i = 0; i < Count; i++)
            {
                if (what == "rename")
                    parameters[names[i]].ParameterName = others[i].ParameterName;
                else if (what == "replace")
                    parameters[names[i]] = others[i];
                else
                    parameters.RemoveAt(names[i]);
            }
        });

        Assert.That(changing, Is.LessThan(most * building));
        Assert.That(parameters.IndexOf("r10000"), Is.EqualTo(parameters.Count > 0 ? 10_000 : -1));
    }

    private static long Allocated(Action work)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        work();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static int ByComparing(PgParameterCollection parameters, string name) =>
        Array.FindIndex(parameters.ToArray(), parameter => parameter.ParameterName.TrimStart('@', ':').Equals(name.TrimStart('@', ':'), StringComparison.OrdinalIgnoreCase));

    private static void Change(PgParameterCollection parameters, Random random)
    {
        var name = _names[random.Next(_names.Length)];
        var position = random.Next(Math.Max(1, parameters.Count));
        var operation = parameters.Count < 20 ? 0 : random.Next(parameters.Count < 80 ? 10 : 14);
        switch (operation)
        {
            case 6:
                parameters.Insert(position, new PgParameter(name, 1));
                break;
            case 7:
                parameters[position].ParameterName = name;
                break;
            case 8:
                parameters[position] = new PgParameter(name, 1);
                break;
            case >= 9 and < 13:
                parameters.RemoveAt(position);
                break;
            case 13:
                parameters.Clear();
                break;
            default:
                parameters.AddWithValue(name, 1);
                break;
        }
    }
}
